/** Both parsers return plain JSON trees; these read them without trusting their shape. */
export type Tree = { readonly [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function tree(value: unknown): Tree {
  return isTree(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The tag and content of a one-key node such as `{ SelectStmt: {…} }`; a bare string is a tag without content. */
export function tagged(value: unknown): readonly [string, Tree, unknown] {
  if (typeof value === "string") return [value, {}, undefined];
  const [entry] = Object.entries(tree(value));
  return entry === undefined ? ["", {}, undefined] : [entry[0], tree(entry[1]), entry[1]];
}

/** Whether any node below satisfies the test. */
export function someNode(value: unknown, test: (node: Tree) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => someNode(item, test));
  if (!isTree(value)) return false;
  return test(value) || Object.values(value).some((item) => someNode(item, test));
}
