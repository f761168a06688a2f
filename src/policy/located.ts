import { canonicalize } from "../core/json.js";
import { type Place, PolicyError } from "./problem.js";

/** A value that knows where it was written, from YAML or from an object. */
export type Located = Place &
  (
    | {
        readonly kind: "scalar";
        readonly value: string | number | boolean | null;
        readonly inside: (offset: number) => Place;
      }
    | { readonly kind: "list"; readonly items: readonly Located[] }
    | { readonly kind: "map"; readonly entries: readonly Entry[] }
  );

export interface Entry {
  readonly key: string;
  /** Where the key itself stands. */
  readonly place: Place;
  readonly value: Located;
}

/** An object has no lines, so its values are found by their path. Anything that is not plain JSON is refused. */
export function locateValue(value: unknown, name: string): Located {
  try {
    canonicalize(value);
  } catch (cause) {
    throw new PolicyError(name, [{ path: "", message: `This is not plain data: ${(cause as Error).message}` }], cause);
  }
  return located(value, "");
}

function located(value: unknown, path: string): Located {
  if (Array.isArray(value))
    return { kind: "list", path, items: value.map((item, at) => located(item, `${path}[${at}]`)) };
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).map(([key, item]) => {
      const inner = joinPath(path, key);
      return { key, place: { path: inner }, value: located(item, inner) };
    });
    return { kind: "map", path, entries };
  }
  return { kind: "scalar", path, value: value as string | number | boolean | null, inside: () => ({ path }) };
}

export function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** The plain value behind the places. */
export function plain(node: Located): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plain);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
    default:
      return node satisfies never;
  }
}
