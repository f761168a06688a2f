import { CountersignError } from "../core/errors.js";

/** Where something stands: a line and column of a file, and the path to it (`rules[2].when`). */
export interface Place {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
}

/** One thing that is wrong, in a sentence, with what to do about it where that can be said. */
export interface Problem extends Place {
  readonly message: string;
  readonly suggestion?: string;
}

/** Gathers what is wrong, so that an author sees all of it at once. */
export class Problems {
  readonly found: Problem[] = [];

  add({ path, line, column }: Place, message: string, suggestion?: string): void {
    this.found.push({
      path,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }

  /** Throws when anything was found: a text with one fault is not used in part. */
  refuse(name: string): void {
    if (this.found.length === 0) return;
    const byPlace = (a: Problem, b: Problem) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
    throw new PolicyError(name, this.found.toSorted(byPlace));
  }
}

/** A policy or test table that is refused as a whole. */
export class PolicyError extends CountersignError {
  readonly problems: readonly Problem[];

  constructor(name: string, problems: readonly Problem[], cause?: unknown) {
    super("invalid_policy", problems.map((problem) => formatProblem(name, problem)).join("\n"), { cause });
    this.problems = problems;
  }
}

/** `name:line:column path: sentence suggestion`, the form that editors and terminals turn into a link. */
export function formatProblem(name: string, problem: Problem): string {
  const { line, column, path, message, suggestion } = problem;
  const place = line === undefined ? name : `${name}:${line}:${column ?? 1}`;
  return `${place}${path === "" ? "" : ` ${path}`}: ${message}${suggestion === undefined ? "" : ` ${suggestion}`}`;
}
