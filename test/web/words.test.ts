import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { en } from "../../web/src/words/en.js";

const WEB = fileURLToPath(new URL("../../web/", import.meta.url));
/** The catalogue, and the folder of its areas. */
const CATALOGUE = /\/src\/words\/en(\.ts|\/[^/]+\.ts)$/;

/** Every name of the catalogue by where it is declared: `inbox.title` and the like. */
type Names = ReadonlyMap<ts.Node, string>;

function openPages(): ts.Program {
  const { config } = ts.readConfigFile(`${WEB}tsconfig.json`, (path) => ts.sys.readFile(path)) as { config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, WEB);
  return ts.createProgram(fileNames, { ...options, noEmit: true, skipLibCheck: true });
}

/** Tables that are looked into by a name from outside are one entry: what is not in them has a word to fall back to. */
function namesIn(catalogue: readonly ts.SourceFile[]): Names {
  const names = new Map<ts.Node, string>();
  for (const file of catalogue) {
    const nameOf = (node: ts.NamedDeclaration) => node.name?.getText(file).replaceAll('"', "") ?? "";
    const walk = (node: ts.Node, path: readonly string[]): void => {
      const inside = (at: readonly string[]) => ts.forEachChild(node, (each) => walk(each, at));
      if (ts.isShorthandPropertyAssignment(node)) names.set(node, nameOf(node));
      // An area is a constant of its name; the catalogue holds it under the same one.
      if (ts.isVariableDeclaration(node)) return inside(nameOf(node) === "en" ? [] : [nameOf(node)]);
      if (!ts.isPropertyAssignment(node)) return inside(path);
      const here = [...path, nameOf(node)];
      names.set(node, here.join("."));
      if (ts.isObjectLiteralExpression(node.initializer)) inside(here);
    };
    walk(file, []);
  }
  return names;
}

/** The names that the pages read: by `words.inbox.title`, by a key of a known kind, or by taking an object apart. */
function namesReadBy(file: ts.SourceFile, checker: ts.TypeChecker, names: Names): readonly string[] {
  const read: string[] = [];
  const mark = (symbol: ts.Symbol | undefined) => {
    for (const declaration of symbol?.declarations ?? []) read.push(names.get(declaration) ?? "");
  };
  const walk = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) mark(checker.getSymbolAtLocation(node.name));
    if (ts.isElementAccessExpression(node)) {
      const object = checker.getTypeAtLocation(node.expression);
      const key = checker.getTypeAtLocation(node.argumentExpression);
      for (const each of key.isUnion() ? key.types : [key])
        if (each.isStringLiteral()) mark(checker.getPropertyOfType(object, each.value));
    }
    if (ts.isObjectBindingPattern(node)) {
      const object = checker.getTypeAtLocation(node);
      for (const { propertyName, name } of node.elements)
        mark(checker.getPropertyOfType(object, (propertyName ?? name).getText(file)));
    }
    ts.forEachChild(node, walk);
  };
  walk(file);
  return read;
}

describe("the words of the pages", () => {
  it("are all read by some page: a sentence that nobody sees is not kept", { timeout: 300_000 }, () => {
    const program = openPages();
    const names = namesIn(program.getSourceFiles().filter(({ fileName }) => CATALOGUE.test(fileName)));
    expect([...names.values()]).toEqual(expect.arrayContaining(Object.keys(en)));
    expect(names.size).toBeGreaterThan(10 * Object.keys(en).length);
    const checker = program.getTypeChecker();
    const pages = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${WEB}src/`));
    const read = new Set(
      pages.filter((page) => !page.fileName.includes("/words/")).flatMap((page) => namesReadBy(page, checker, names)),
    );
    const unread = [...names.values()].filter((name) => name !== "locale" && !read.has(name));
    expect(unread).toEqual([]);
  });
});
