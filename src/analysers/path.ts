import { posix } from "node:path";
import { type Analysis, type Finding, highestTier, type RiskTier } from "../core/risk.js";
import { type RealPath, realPath, segments } from "./real-path.js";
import { sensitivePlaces } from "./sensitive-path.js";

export interface PathScope {
  /** Absolute folders (or files) that a call may touch. */
  readonly roots: readonly string[];
  /** What relative paths start from. Without it they are outside. */
  readonly cwd?: string;
}

export interface PathAnalysis extends Analysis {
  /** Certainly under one of the roots, by its real path, segment by segment. Doubt is outside. */
  readonly inside: boolean;
  /** Where the path leads now, links followed; undefined when that cannot be told. */
  readonly real: string | undefined;
}

const MAX_LENGTH = 4096;

/**
 * Where a path leads and whether that is inside the scope. It is true of the moment of the call: whoever runs the tool later asks
 * again and compares `real`. Never throws.
 */
export async function analysePath(path: string, scope: PathScope): Promise<PathAnalysis> {
  const unreadable = whyUnreadable(path);
  if (unreadable !== undefined) return verdict([unreadable], false, undefined, false);
  const findings = spellings(path);
  const base = scope.cwd ?? "";
  if (!path.startsWith("/") && !base.startsWith("/")) {
    findings.push(found("R3", "no_base", "The path is relative and nothing says to what.", path));
    return verdict(findings, false, undefined);
  }
  // Two readings: the kernel follows links before "..", many programs strip ".." first. Both must be inside.
  const followed = await realPath(path.startsWith("/") ? path : `${base}/${path}`);
  const stripped = await realPath(posix.resolve(base === "" ? "/" : base, path));
  const lost = [followed, stripped].find((reading) => reading.type !== "real");
  if (lost !== undefined) return verdict([...findings, whyLost(lost, path)], false, undefined, false);
  const targets = [followed, stripped].flatMap((reading) => (reading.type === "real" ? [reading.path] : []));
  const [real = "", other = ""] = targets;
  if (real !== other) {
    findings.push(
      found("R3", "ambiguous_dots", `The path leads to ${real} or to ${other}, depending on who reads it.`, path),
    );
  }
  const doubtful = findings.length > 0;
  const place = await placeOf(targets, scope.roots);
  if (place !== "inside") findings.push(whyOutside(place, real, path));
  for (const { code, says } of [path, ...targets].flatMap(sensitivePlaces)) {
    const known = findings.some((finding) => finding.code === code);
    if (!known) findings.push(found("R3", code, `The path leads to a place that ${says}.`, path));
  }
  return verdict(findings, place === "inside" && !doubtful, real);
}

function verdict(
  findings: readonly Finding[],
  inside: boolean,
  real: string | undefined,
  inspectable = true,
): PathAnalysis {
  const riskTier = inspectable ? highestTier(findings.map((finding) => finding.riskTier)) : "R4";
  return { riskTier, inspectable, findings, inside, real };
}

function found(riskTier: RiskTier, code: string, text: string, fragment: string): Finding {
  return { code, riskTier, text, ...(fragment === "" ? {} : { fragment }) };
}

function whyUnreadable(path: unknown): Finding | undefined {
  if (typeof path !== "string" || path === "") return found("R4", "no_path", "There is no path.", "");
  if (path.length > MAX_LENGTH)
    return found("R4", "too_long", `The path is longer than ${MAX_LENGTH} characters.`, path.slice(0, 100));
  if (path.includes("\0")) return found("R4", "nul", "The path holds a NUL character, where some readers stop.", "");
  if (/\p{Surrogate}/u.test(path)) return found("R4", "half_character", "The path holds half a character.", "");
  return undefined;
}

type Spelling = readonly [code: string, test: RegExp, text: string];

/** Spellings that mean different files to different systems. Each puts the path outside, wherever it seems to lead. */
const WHOLE: readonly Spelling[] = [
  ["home_shorthand", /^~[^/]*/, "A leading tilde is a home folder to some programs and a plain name to others."],
  ["network_path", /^\/\/[^/]*/, "Two leading slashes can name another machine."],
  ["encoded", /%(2e|2f|5c|00|25)/i, "The path is percent-encoded, and would be another one when decoded."],
  ["control_character", /\p{Cc}/u, "The path holds a control character."],
  ["invisible_character", /\p{Cf}/u, "The path holds an invisible character, which some disks ignore."],
];

/** The same, for one segment at a time. */
const SEGMENT: readonly Spelling[] = [
  ["backslash", /\\/, "A backslash is a separator on Windows and part of a name elsewhere."],
  ["colon", /:/, "A colon can name a drive, an address or a hidden stream of a file."],
  ["trailing_dot", /(?<!^\.?)\.$| $/, "Some systems drop dots and spaces at the end of a name."],
  ["device_name", /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i, "This is the name of a device on Windows."],
];

function spellings(path: string): Finding[] {
  const whole = WHOLE.flatMap(([code, test, text]) => {
    const fragment = test.exec(path)?.[0];
    return fragment === undefined ? [] : [found("R3", code, text, fragment)];
  });
  const names = path.split("/");
  const single = SEGMENT.flatMap(([code, test, text]) => {
    const fragment = names.find((name) => test.test(name));
    return fragment === undefined ? [] : [found("R3", code, text, fragment)];
  });
  return [...whole, ...single, ...aliases(path)];
}

/** Names that are spelt otherwise on disks that normalise. Full-width punctuation is ordinary in Chinese and stays. */
function aliases(path: string): Finding[] {
  if (path !== path.normalize("NFC")) {
    return [found("R3", "not_normalized", "The same name can be spelt with other code points.", path)];
  }
  const plain = (text: string): number => text.match(/[A-Za-z0-9./\\~]/g)?.length ?? 0;
  if (plain(path) === plain(path.normalize("NFKC"))) return [];
  return [
    found(
      "R3",
      "compatibility_character",
      "A character of the path can be read as a plain letter, dot or slash.",
      path,
    ),
  ];
}

type Place = "inside" | "outside" | "alias";

async function placeOf(targets: readonly string[], roots: readonly string[]): Promise<Place> {
  const absolute = roots.filter((root) => root.startsWith("/"));
  const readings = await Promise.all(absolute.map(realPath));
  const real = readings.flatMap((reading) => (reading.type === "real" ? [segments(reading.path)] : []));
  const under = (target: readonly string[], root: readonly string[]): boolean =>
    root.every((segment, index) => target[index] === segment);
  const every = (form: (segment: string) => string): boolean =>
    targets.every((target) => real.some((root) => under(segments(target).map(form), root.map(form))));
  if (every((segment) => segment)) return "inside";
  return every(fold) ? "alias" : "outside";
}

/** Names that some disk takes for the same. */
function fold(segment: string): string {
  return segment.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFC");
}

function whyOutside(place: Place, real: string, path: string): Finding {
  if (place === "alias") {
    return found(
      "R3",
      "name_alias",
      `The path leads to ${real}, which is in scope only if case and accents do not count.`,
      path,
    );
  }
  return found("R3", "path_outside", `The path leads to ${real}, outside of the scope.`, path);
}

function whyLost(reading: RealPath, path: string): Finding {
  switch (reading.type) {
    case "loop":
      return found("R4", "link_loop", "Links on the path lead in a circle.", path);
    case "magic":
      return found("R4", "magic_link", "The path goes through a link whose target depends on who follows it.", path);
    default:
      return found("R4", "not_followed", "A part of the path could not be looked at.", path);
  }
}
