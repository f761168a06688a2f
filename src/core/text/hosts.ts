import { asciiLookAlike } from "./look-alikes.js";
import { isHarmless, isOrdinaryMix, scriptsOf } from "./scripts.js";

/** A host that is not what it looks like, or whose look needs more than ASCII. */
export interface InternationalHost {
  /** As it stands in the text. */
  readonly written: string;
  /** What would really be contacted; undefined when no valid name comes of it. */
  readonly ascii: string | undefined;
  /** As a browser might draw it. */
  readonly drawn: string;
  readonly scripts: readonly string[];
}

/** The longest name DNS knows; anything longer is not a host, and not worth converting. */
const LONGEST_HOST = 253;
/** No valid label gets here; without a bound a hostile one reaches Infinity. */
const LARGEST_POSITION = 0x7fffffff;
const CANDIDATE = /[\p{L}\p{M}\p{N}_\-.。．｡]+/gu;
const DOTS = /[.。．｡]/;
const PUNYCODE = /^xn--/i;
const EDGES = "-.。．｡";

/**
 * Hosts in URLs and e-mail addresses that are not plain ASCII, and names in punycode. A dotted name without `://` or `@`
 * before it counts only when a label imitates another one: `报告.pdf` is a file, `аpple.com` is an attack.
 */
export function internationalHosts(text: string): readonly InternationalHost[] {
  const hosts: InternationalHost[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const written = trimmed(match[0]);
    const labels = written.length > LONGEST_HOST ? [] : written.split(DOTS);
    if (labels.length < 2) continue;
    const drawn = labels.map(decodeLabel).join(".");
    const isPunycode = labels.some((label) => PUNYCODE.test(label));
    const before = text.slice(Math.max(0, match.index - 3), match.index);
    const isAddress = before === "://" || before.endsWith("@");
    const isForeign = !/^[ -~]+$/.test(written) && (isAddress || labels.some(imitates));
    if (isPunycode || isForeign)
      hosts.push({
        written,
        ascii: labels.every(isDecodable) ? toAscii(written) : undefined,
        drawn,
        scripts: scriptsOf(drawn),
      });
  }
  return hosts;
}

/** A sentence may end behind a host. By hand, since an expression for the end of a long row of dots is quadratic. */
function trimmed(candidate: string): string {
  let [start, end] = [0, candidate.length];
  while (start < end && EDGES.includes(candidate[start] ?? "")) start++;
  while (end > start && EDGES.includes(candidate[end - 1] ?? "")) end--;
  return candidate.slice(start, end);
}

function imitates(label: string): boolean {
  if (isHarmless(label)) return false;
  return !isOrdinaryMix(scriptsOf(label)) || asciiLookAlike(label) !== undefined;
}

function toAscii(host: string): string | undefined {
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}

function decodeLabel(label: string): string {
  return decoded(label) ?? label;
}

/** Platforms differ on malformed punycode; a name that one of them would contact and another would not is no valid name. */
function isDecodable(label: string): boolean {
  return decoded(label) !== undefined;
}

function decoded(label: string): string | undefined {
  return PUNYCODE.test(label) ? decodePunycode(label.slice(4).toLowerCase()) : label;
}

/** RFC 3492, the direction that no platform offers to both servers and browsers. Undefined when it is malformed. */
function decodePunycode(encoded: string): string | undefined {
  const split = encoded.lastIndexOf("-");
  const output = Array.from(encoded.slice(0, Math.max(split, 0)), (letter) => letter.charCodeAt(0));
  let [codePoint, bias, position] = [128, 72, 0];
  for (let index = split + 1; index < encoded.length; position++) {
    const start = position;
    for (let [weight, threshold] = [1, 36]; ; threshold += 36) {
      const digit = digitOf(encoded.charCodeAt(index++));
      if (digit === undefined) return undefined;
      position += digit * weight;
      if (position > LARGEST_POSITION) return undefined;
      const limit = Math.min(Math.max(threshold - bias, 1), 26);
      if (digit < limit) break;
      weight *= 36 - limit;
    }
    bias = adapt(position - start, output.length + 1, start === 0);
    codePoint += Math.floor(position / (output.length + 1));
    position %= output.length + 1;
    if (codePoint > 0x10ffff) return undefined;
    output.splice(position, 0, codePoint);
  }
  return String.fromCodePoint(...output);
}

function digitOf(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  return undefined;
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? 700 : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > 455; bias += 36) rest = Math.floor(rest / 35);
  return bias + Math.floor((36 * rest) / (rest + 38));
}
