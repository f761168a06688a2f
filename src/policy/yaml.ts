import type { Document, LineCounter, Node, Pair, Scalar } from "yaml";
import { type Entry, joinPath, type Located } from "./located.js";
import { loadYaml } from "./packages.js";
import { type Place, Problems } from "./problem.js";

/** Reads one YAML document. What could be read in two ways (aliases, tags, merge keys, doubled keys) is refused. */
export function locateYaml(text: string, name: string): Located {
  const { parseAllDocuments, LineCounter } = loadYaml();
  const problems = new Problems();
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: "1.2",
    schema: "core",
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  const reader = new Reader(text, lines, problems);
  for (const error of [...(document?.errors ?? []), ...(document?.warnings ?? [])]) {
    const doubled = error.code === "DUPLICATE_KEY";
    problems.add(
      { path: "", ...reader.at(error.pos[0]) },
      doubled ? "The same key stands here twice." : `This is not valid YAML: ${oneLine(error.message)}.`,
      doubled ? "Keep one of them." : undefined,
    );
  }
  if (Array.isArray(documents) && documents.length > 1) {
    problems.add(
      { path: "", ...reader.at(documents[1]?.range[0] ?? 0) },
      "The file holds more than one document.",
      "Keep one.",
    );
  }
  problems.refuse(name);
  const root = reader.read(document?.contents ?? undefined, "");
  if (root === undefined || (root.kind === "scalar" && root.value === null)) {
    problems.add(
      { path: "", line: 1, column: 1 },
      "The file is empty.",
      "An empty file would protect nothing: remove it or fill it.",
    );
  }
  problems.refuse(name);
  return root as Located;
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, " ").replace(/\.$/, "");
}

class Reader {
  readonly #text: string;
  readonly #lines: LineCounter;
  readonly #problems: Problems;
  readonly #yaml = loadYaml();

  constructor(text: string, lines: LineCounter, problems: Problems) {
    this.#text = text;
    this.#lines = lines;
    this.#problems = problems;
  }

  at(offset: number): { line: number; column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  read(node: Node | Document["contents"] | undefined, path: string, missing = 0): Located | undefined {
    const { isAlias, isMap, isSeq, isScalar } = this.#yaml;
    if (node === undefined || node === null) return this.#scalar(null, { path, ...this.at(missing) });
    const place: Place = { path, ...this.at(node.range?.[0] ?? 0) };
    if (isAlias(node)) return this.#refuse(place, "An alias (*) can change a rule from afar.", "Write the value out.");
    if (isScalar(node)) return this.#fromScalar(node, place);
    if (isSeq(node)) {
      const items = node.items.map((item, at) => this.read(item as Node, `${path}[${at}]`, node.range?.[0]));
      return { ...place, kind: "list", items: items.filter((item) => item !== undefined) };
    }
    if (isMap(node)) {
      const entries = node.items.map((pair) => this.#entry(pair as Pair<Node, Node | null>, path));
      return { ...place, kind: "map", entries: entries.filter((entry) => entry !== undefined) };
    }
    return this.#refuse(place, "This cannot be read.");
  }

  #entry(pair: Pair<Node, Node | null>, path: string): Entry | undefined {
    const { key } = pair;
    const offset = key?.range?.[0] ?? 0;
    if (!this.#yaml.isScalar(key) || typeof key.value !== "string") {
      this.#problems.add({ path, ...this.at(offset) }, "A key has to be a plain word.", "Put it in quotes.");
      return undefined;
    }
    const inner = joinPath(path, key.value);
    const value = this.read(pair.value, inner, offset);
    return value === undefined ? undefined : { key: key.value, place: { path: inner, ...this.at(offset) }, value };
  }

  #fromScalar(node: Scalar, place: Place): Located | undefined {
    const { value } = node;
    if (typeof value === "number" && !Number.isFinite(value)) return this.#refuse(place, "The number is not finite.");
    if (value === null || ["string", "number", "boolean"].includes(typeof value)) {
      return { ...this.#scalar(value as string, place), inside: (offset) => this.#inside(node, place, offset) };
    }
    return this.#refuse(place, "This is neither text, number, true nor false.");
  }

  #scalar(value: string | number | boolean | null, place: Place): Extract<Located, { kind: "scalar" }> {
    return { ...place, kind: "scalar", value, inside: () => place };
  }

  /** The place of a character inside a text. Where folding or escapes moved it, the text's own place has to do. */
  #inside(node: Scalar, place: Place, offset: number): Place {
    const value = String(node.value);
    const start = node.range?.[0] ?? 0;
    const quoted = node.type === "QUOTE_SINGLE" || node.type === "QUOTE_DOUBLE" ? 1 : 0;
    if (this.#text.startsWith(value, start + quoted)) return { path: place.path, ...this.at(start + quoted + offset) };
    if (node.type !== "BLOCK_LITERAL") return place;
    const before = value.slice(0, offset).split("\n");
    const first = this.at(start).line + 1;
    const line = first + before.length - 1;
    const indent = /^ */.exec(this.#text.split("\n")[line - 1] ?? "")?.[0].length ?? 0;
    return { path: place.path, line, column: indent + (before.at(-1)?.length ?? 0) + 1 };
  }

  #refuse(place: Place, message: string, suggestion?: string): undefined {
    this.#problems.add(place, message, suggestion);
    return undefined;
  }
}
