/** Where in a text an error stands; both count from 1, columns in UTF-16 units as editors do. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

const MAX_SHOWN = 60;
/** Everything that is not a visible letter, digit, mark of punctuation or plain space; a key must not forge the message. */
const UNSHOWABLE = /[^\p{L}\p{N}\p{P}\p{S} ]|["\\]/gu;

/**
 * Why a value or text was refused as JSON. The message names keys and places, never values: arguments may hold secrets.
 * `path` is a JSON pointer for people: escaped, and cut to its last 60 characters.
 */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly code = "invalid_json";
  readonly path: string;
  readonly line?: number;
  readonly column?: number;

  constructor(problem: string, path: readonly (string | number)[], place?: TextPlace) {
    const pointer = pointerTo(path);
    super(`${placeInWords(pointer, place)}: ${problem}`);
    this.path = pointer;
    if (place) {
      this.line = place.line;
      this.column = place.column;
    }
  }
}

/** A key as it may stand in a message. */
export function shownKey(key: string): string {
  const text = escaped(key.slice(0, MAX_SHOWN + 1));
  return text.length > MAX_SHOWN ? `"${text.slice(0, MAX_SHOWN - 1)}…"` : `"${text}"`;
}

function placeInWords(pointer: string, place: TextPlace | undefined): string {
  if (!place) return pointer === "" ? "At the top" : `At ${pointer}`;
  const lineAndColumn = `Line ${place.line}, column ${place.column}`;
  return pointer === "" ? lineAndColumn : `${lineAndColumn} (at ${pointer})`;
}

function pointerTo(path: readonly (string | number)[]): string {
  const pointer = path.map((step) => `/${pointerStep(String(step))}`).join("");
  return pointer.length > MAX_SHOWN ? `…${pointer.slice(1 - MAX_SHOWN)}` : pointer;
}

function pointerStep(step: string): string {
  return escaped(step.slice(0, MAX_SHOWN)).replaceAll("~", "~0").replaceAll("/", "~1");
}

function escaped(text: string): string {
  return text.replace(UNSHOWABLE, (character) =>
    character === '"' || character === "\\" ? `\\${character}` : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
