import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { CountersignError } from "../../core/errors.js";
import { makeFolder } from "../../folder.js";

export type JsonMap = Record<string, unknown>;

export function readJson(path: string): JsonMap {
  const text = readFileSync(path, "utf8");
  try {
    return asObject(JSON.parse(text), path);
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    const message = `${path} cannot be read as JSON, perhaps for a comment or a comma too many; nothing was changed.`;
    throw new CountersignError("invalid_request", message, { cause });
  }
}

export function asObject(value: unknown, path: string): JsonMap {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as JsonMap;
  throw new CountersignError("invalid_request", `What ${path} holds is not an object; nothing was changed.`);
}

export function writeJson(path: string, content: JsonMap, mode?: number): void {
  writeText(path, `${JSON.stringify(content, null, 2)}\n`, mode);
}

/** In one step, so that nobody ever reads half of it. A file that was there keeps its mode, and a link to it stays a link. */
export function writeText(named: string, text: string, mode?: number): void {
  makeFolder(dirname(named));
  const path = existsSync(named) ? realpathSync(named) : named;
  const draft = `${path}.countersign-${process.pid}`;
  writeFileSync(draft, text, { mode: mode ?? 0o600 });
  if (mode === undefined && existsSync(path)) chmodSync(draft, statSync(path).mode);
  renameSync(draft, path);
}
