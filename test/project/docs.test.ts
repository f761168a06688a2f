import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source-scan.js";

interface Snippet {
  readonly place: string;
  readonly code: string;
}

/** JavaScript of the guides; of a change, what is there afterwards. */
const SNIPPETS: readonly Snippet[] = ["README.md", ...guides()].flatMap((path) => {
  const text = readFileSync(join(ROOT, path), "utf8");
  return [...text.matchAll(/^```(js|diff)\n([\s\S]*?)^```/gm)].map(([, language, body = ""], index) => ({
    place: `${path}, ${index + 1}`,
    code: language === "diff" ? body.replace(/^-.*\n/gm, "").replace(/^[+ ]/gm, "") : body,
  }));
});

describe("snippets of the guides", () => {
  it("are found", () => {
    expect(SNIPPETS.length).toBeGreaterThan(15);
  });

  it.each(SNIPPETS.map(({ place, code }) => [place, code]))("are JavaScript: %s", (_place, code) => {
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

function guides(): string[] {
  return readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .sort();
}

/** What a snippet takes from this package by name: those who copy it have to find it. */
function importsOf({ place, code }: Snippet): (readonly [place: string, from: string, name: string])[] {
  const imports = /^import \{([^}]*)\} from "(countersign(?:\/[^"]*)?)"/gm;
  return [...code.matchAll(imports)].flatMap(([, names = "", from = ""]) =>
    names.split(",").map((name) => [place, from, name.trim().split(" as ")[0] ?? ""] as const),
  );
}
