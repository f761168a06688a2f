import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "../../core/json.js";
import { makeFolder } from "../../folder.js";

/** The definitions of tools that people have seen at work. A tool that says something else now has to be looked at again. */
export interface Pins {
  /** What is pinned for this tool of this server; on first sight it is pinned as it is. */
  pinned(server: string, tool: string, definition: JsonObject): JsonObject;
  /** A person has let a call through with this definition before their eyes. */
  accept(server: string, tool: string, definition: JsonObject): void;
}

/** Forgets with the process: after a restart every definition is seen for the first time. `filePins` remembers. */
export function memoryPins(): Pins {
  const kept = new Map<string, JsonObject>();
  const key = (server: string, tool: string) => JSON.stringify([server, tool]);
  return {
    pinned(server, tool, definition) {
      const known = kept.get(key(server, tool));
      if (known === undefined) kept.set(key(server, tool), definition);
      return known ?? definition;
    },
    accept: (server, tool, definition) => void kept.set(key(server, tool), definition),
  };
}

/** Pins in a folder of the user's state, one file for each server: gateways of different servers do not meet in one. */
export function filePins(folder: string): Pins {
  const fileOf = (server: string) =>
    join(folder, `${createHash("sha256").update(server).digest("hex").slice(0, 32)}.json`);
  const read = (server: string): Record<string, Json> => {
    try {
      return JSON.parse(readFileSync(fileOf(server), "utf8")) as Record<string, Json>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      // A file that cannot be read pins nothing that could be trusted: every definition counts as changed.
      return { "": null };
    }
  };
  const write = (server: string, pins: Record<string, Json>) => {
    makeFolder(folder);
    const draft = `${fileOf(server)}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(pins), { mode: 0o600 });
    renameSync(draft, fileOf(server));
  };
  const set = (server: string, tool: string, definition: JsonObject) => {
    // The mark of a file that could not be read stays: a tool that was not seen since is still not known.
    write(server, { ...read(server), [tool]: definition });
  };
  return {
    pinned(server, tool, definition) {
      const pins = read(server);
      if (Object.hasOwn(pins, tool)) return pins[tool] as JsonObject;
      if (Object.hasOwn(pins, "")) return {};
      set(server, tool, definition);
      return definition;
    },
    accept: set,
  };
}
