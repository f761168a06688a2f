import type { Assignment, HereDocBody, Word, WordPart } from "unbash";
import { literalWord, type ShellWord, UNKNOWN } from "./types.js";

interface Piece {
  shape: string;
  kind: ShellWord["kind"];
  splits: boolean;
}

// The shell sets these itself; assigning them is reported on its own, so here they stand for what they normally hold.
const PLACES: Readonly<Record<string, string>> = { HOME: "~", PWD: "." };

/** Undoes quoting. Whatever the shell would still compute ends up as UNKNOWN in the shape, never as its source text. */
export function toShellWord(word: Word): ShellWord {
  return join(word.text, word.parts ?? [{ type: "Literal", pos: 0, end: 0, text: word.text, value: word.value }]);
}

export function hereDocWord(body: HereDocBody): ShellWord {
  return body.parts ? join(body.text, body.parts) : literalWord(body.text);
}

/** `export A=$x` parses as an assignment, but the program still receives one word. */
export function assignmentWord(assignment: Assignment): ShellWord {
  const value = assignmentValue(assignment);
  const shape = `${assignment.name}${assignment.append ? "+" : ""}=${value.shape}`;
  if (value.kind !== "literal" || assignment.index) {
    return { text: assignment.text, value: undefined, shape, kind: "expansion", splits: false };
  }
  return literalWord(shape, assignment.text);
}

export function assignmentValue(assignment: Assignment): ShellWord {
  const { value } = assignment;
  if (value.type === "Word") return toShellWord(value);
  const elements = value.elements.map(toShellWord);
  const shape = elements.map((element) => element.shape).join(" ");
  return { text: assignment.text, value: undefined, shape, kind: "expansion", splits: false };
}

function join(text: string, parts: readonly WordPart[]): ShellWord {
  const pieces = parts.map((part, index) => piece(part, index === 0));
  const shape = pieces.map((each) => each.shape).join("");
  const kinds = new Set(pieces.map((each) => each.kind));
  const kind = kinds.has("expansion") ? "expansion" : kinds.has("pattern") ? "pattern" : "literal";
  const splits = pieces.some((each) => each.splits);
  return { text, value: kind === "literal" ? shape : undefined, shape, kind, splits };
}

function piece(part: WordPart, first: boolean): Piece {
  switch (part.type) {
    case "Literal":
      // `~` and `~user` at the start become a home directory unless quoted.
      if (first && /^~[\w.-]*(\/|$)/.test(part.text)) return { shape: part.value, kind: "expansion", splits: false };
      return { shape: part.value, kind: "literal", splits: false };
    case "SingleQuoted":
    case "AnsiCQuoted":
      return { shape: part.value, kind: "literal", splits: false };
    case "Glob":
      return { shape: part.value, kind: "pattern", splits: false };
    case "ExtendedGlob":
      return { shape: part.text, kind: "pattern", splits: false };
    case "DoubleQuoted": {
      const inner = join(part.text, part.parts);
      // Inside quotes a leading `~` is just a character, and nothing splits except "$@".
      const tilde = part.parts[0]?.type === "Literal" && part.parts.length === 1;
      return { shape: inner.shape, kind: tilde ? "literal" : inner.kind, splits: /\$@|\$\{[^}]*@/.test(part.text) };
    }
    case "SimpleExpansion":
      return place(part.text.slice(1));
    case "ParameterExpansion":
      if (part.operation || part.prefix || part.index) return { shape: UNKNOWN, kind: "expansion", splits: true };
      return place(part.parameter);
    case "ProcessSubstitution":
      // The program receives the name of a pipe; what runs inside is collected on its own.
      return { shape: "/dev/fd/63", kind: "expansion", splits: false };
    default:
      // Translated strings, substitutions, arithmetic and braces: several words, or text nobody can know beforehand.
      return { shape: UNKNOWN, kind: "expansion", splits: true };
  }
}

function place(name: string): Piece {
  const known = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined;
  return { shape: known ?? UNKNOWN, kind: "expansion", splits: known === undefined };
}
