import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { en } from "../../web/src/words/en.js";

const WEB = fileURLToPath(new URL("../../web/", import.meta.url));
const CATALOGUE = `${WEB}src/words/en.ts`;

/** Every name of the catalogue by where it is declared: `inbox.title` and the like. */
type Names = ReadonlyMap<ts.Node, string>;

function openPages(): ts.Program {
  const { config } = ts.readConfigFile(`${WEB}tsconfig.json`, (path) => ts.sys.readFile(path)) as { config: unknown };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, WEB);
  return ts.createProgram(fileNames, { ...options, noEmit: true, skipLibCheck: true });
}

/** Tables that are looked into by a name from outside are one entry: what is not in them has a word to fall back to. */
function namesIn(catalogue: ts.SourceFile): Names {
  const names = new Map<ts.Node, string>();
  const walk = (node: ts.Node, path: readonly string[]): void => {
    if (ts.isPropertyAssignment(node)) {
      const here = [...path, node.name.getText(catalogue).replaceAll('"', "")];
      names.set(node, here.join("."));
      if (ts.isObjectLiteralExpression(node.initializer)) ts.forEachChild(node.initializer, (each) => walk(each, here));
      return;
    }
    ts.forEachChild(node, (each) => walk(each, path));
  };
  walk(catalogue, []);
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
  it("are all read by some page: a sentence that nobody sees is not kept", { timeout: 120_000 }, () => {
    const program = openPages();
    const catalogue = program.getSourceFile(CATALOGUE);
    if (catalogue === undefined) throw new Error("The catalogue is not among the pages.");
    const names = namesIn(catalogue);
    expect(names.size).toBeGreaterThan(Object.keys(en).length);
    const checker = program.getTypeChecker();
    const pages = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${WEB}src/`));
    const read = new Set(
      pages.filter((page) => !page.fileName.includes("/words/")).flatMap((page) => namesReadBy(page, checker, names)),
    );
    const unread = [...names.values()].filter((name) => name !== "locale" && !read.has(name));
    expect(unread).toEqual([]);
  });
});
