import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { STATUS } from "../../src/server/http/problem.js";
import { ROOT } from "./source-scan.js";

interface Snippet {
  readonly place: string;
  readonly code: string;
}

const GUIDES: readonly string[] = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .sort();
const PAGES: readonly string[] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...GUIDES];

/** JavaScript and TypeScript of the guides; of a change, what is there afterwards. */
const SNIPPETS: readonly Snippet[] = ["README.md", ...GUIDES].flatMap((path) =>
  [...textOf(path).matchAll(/^ *```(js|ts|diff)\n([\s\S]*?)^ *```/gm)].map(([, language, body = ""], index) => ({
    place: `${path}, ${index + 1}`,
    code: language === "diff" ? body.replace(/^-.*\n/gm, "").replace(/^[+ ]/gm, "") : body,
  })),
);

describe("snippets of the guides", () => {
  it("are found", () => {
    expect(SNIPPETS.length).toBeGreaterThan(25);
  });

  it.each(SNIPPETS.map(({ place, code }) => [place, code]))("have no mistakes in their grammar: %s", (_place, code) => {
    const { diagnostics = [] } = ts.transpileModule(code, {
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext },
    });
    expect(diagnostics.map(({ messageText }) => messageText)).toEqual([]);
  });

  it.each(SNIPPETS.flatMap(importsOf))("%s: %s exports %s", async (_place, from, name) => {
    expect(Object.keys((await import(from)) as object)).toContain(name);
  });
});

describe("pages", () => {
  it.each(PAGES)("%s leads only to files and headings that are there", (path) => {
    const dead = [...textOf(path).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .map((match) => match[1] ?? "")
      .filter((link) => !isThere(path, link));
    expect(dead).toEqual([]);
  });

  it.each(PAGES)("%s names only files that are there", (path) => {
    const named = /`((?:src|test|web|assistant|examples|scripts|schemas|policies|docs)\/[^`\s*<{]+\.\w+)`/g;
    const missing = [...textOf(path).matchAll(named)].map((match) => match[1] ?? "").filter((file) => !exists(file));
    expect(missing).toEqual([]);
  });

  it("docs/rest.md has every code under its status, but the one that never leaves the server", () => {
    const [, errors = ""] = textOf("docs/rest.md").split("\n## Errors");
    const rows = [...(errors.split("\n## ")[0] ?? "").matchAll(/^\| (\d{3}) +\| (.+) \|$/gm)];
    const told = rows.flatMap(([, status, codes = ""]) =>
      [...codes.matchAll(/`(\w+)`/g)].map((match) => [match[1], Number(status)] as const),
    );
    const { family_mismatch: _never, ...codes } = STATUS;
    expect(Object.fromEntries(told)).toEqual(codes);
  });
});

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function exists(path: string): boolean {
  return existsSync(join(ROOT, path));
}

function isThere(page: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const path = file === "" ? page : join(dirname(page), file);
  if (!exists(path)) return false;
  return heading === undefined || headingsOf(textOf(path)).includes(heading);
}

/** As sites that show Markdown name them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** What a snippet takes from this package by name: those who copy it have to find it. */
function importsOf({ place, code }: Snippet): (readonly [place: string, from: string, name: string])[] {
  const imports = /^ *import \{([^}]*)\} from "(countersign(?:\/[^"]*)?)"/gm;
  return [...code.matchAll(imports)].flatMap(([, names = "", from = ""]) =>
    names.split(",").map((name) => [place, from, name.trim().split(" as ")[0] ?? ""] as const),
  );
}
