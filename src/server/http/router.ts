import type { AnyRoute } from "./route.js";

export interface Found {
  readonly route: AnyRoute;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly route: AnyRoute;
  /** A text stands for itself, a name in braces for whatever is there. */
  readonly parts: readonly { readonly text?: string; readonly name?: string }[];
}

/** Which route an address leads to: the one with exactly this path, else the first whose open parts fit. */
export class Router {
  readonly #exact = new Map<string, AnyRoute>();
  readonly #patterns = new Map<string, Pattern[]>();

  constructor(routes: readonly AnyRoute[]) {
    for (const route of routes) {
      const { method, path } = route;
      const whole = `${method} ${path}`;
      // The first keeps its place: nothing that is mounted takes a route of ours over.
      if (!path.includes("{")) this.#exact.set(whole, this.#exact.get(whole) ?? route);
      else {
        const parts = path.split("/").map((part) => {
          const name = /^\{(\w+)\}$/.exec(part)?.[1];
          return name === undefined ? { text: part } : { name };
        });
        const key = `${method} ${parts.length}`;
        this.#patterns.set(key, [...(this.#patterns.get(key) ?? []), { route, parts }]);
      }
    }
  }

  find(method: string, path: string): Found | undefined {
    const verb = method === "HEAD" ? "get" : method.toLowerCase();
    const exact = this.#exact.get(`${verb} ${path}`);
    if (exact !== undefined) return { route: exact, params: {} };
    const given = path.split("/");
    for (const { route, parts } of this.#patterns.get(`${verb} ${given.length}`) ?? []) {
      const params = paramsOf(parts, given);
      if (params !== undefined) return { route, params };
    }
    return undefined;
  }
}

function paramsOf(parts: Pattern["parts"], given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, { text, name }] of parts.entries()) {
    const part = given[at] ?? "";
    if (name === undefined ? part !== text : part === "") return undefined;
    if (name !== undefined) params[name] = decoded(part);
  }
  return params;
}

/** What is no valid encoding stands for itself; nothing has such a name. */
function decoded(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
