import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A source file by its path from the project's root, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler. `import { type A }` is not: the module is still loaded. */
  readonly typeOnly: boolean;
}

/** Every TypeScript and JavaScript source below a folder; none when the folder does not exist. */
export function sourcesIn(folder: string): Source[] {
  let entries: string[];
  try {
    entries = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return entries
    .map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`)
    .filter((path) => /\.(ts|tsx|mjs|js)$/.test(path) && !/\/(node_modules|dist)\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** Every module the source names: static and dynamic imports, re-exports, `require`, and types by `import("…")`. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  visit(source, (node, line) => {
    const add = (name: ts.Node | undefined, typeOnly: boolean) => {
      if (name === undefined) return;
      // A computed name cannot be judged, so it is reported as what is written and no rule accepts it.
      found.push({ specifier: ts.isStringLiteralLike(name) ? name.text : name.getText(), line, typeOnly });
    };
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node)) {
      add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument, true);
    } else if (ts.isExternalModuleReference(node)) {
      add(node.expression, false);
    } else if (ts.isCallExpression(node) && loadsModule(node.expression)) {
      add(node.arguments[0], false);
    }
  });
  return found;
}

/**
 * The lines where a method of this name is called on something, whichever way it is written: directly, by index, through
 * call, apply or bind, or taken out of its object first.
 */
export function methodCallsOf(source: Source, method: string): number[] {
  const found: number[] = [];
  visit(source, (node, line) => {
    if (ts.isCallExpression(node)) {
      const called = unwrapped(node.expression);
      const target = ["call", "apply", "bind"].includes(memberName(called) ?? "") ? objectOf(called) : called;
      if (target !== undefined && memberName(target) === method) found.push(line);
    } else if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      if ((node.propertyName ?? node.name).getText() === method) found.push(line);
    }
  });
  return found;
}

function visit({ path, text }: Source, look: (node: ts.Node, line: number) => void): void {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const walk = (node: ts.Node): void => {
    look(node, file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1);
    ts.forEachChild(node, walk);
  };
  walk(file);
}

function loadsModule(called: ts.Expression): boolean {
  return called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === "require");
}

function memberName(node: ts.Expression): string | undefined {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (!ts.isElementAccessExpression(node)) return undefined;
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined;
}

function objectOf(node: ts.Expression): ts.Expression | undefined {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
    ? unwrapped(node.expression)
    : undefined;
}

function unwrapped(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)
    ? unwrapped(node.expression)
    : node;
}
