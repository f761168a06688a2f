import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playScenes } from "./play-scenes.js";
import { WORDS } from "./scenes.js";
import { openStage, type Stage } from "./stage.js";
import { closeBrowser, HAS_BROWSER } from "./world.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every page and state once in each look: together they are both languages, both themes and both sizes. */
const LOOKS = [
  { locale: "en", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { locale: "zh", colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

describe.runIf(HAS_BROWSER)("every page in every state", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  }, 120_000);
  afterAll(async () => {
    await stage.close();
    await closeBrowser();
  });

  it("would be objected to if something were wrong", async () => {
    const { page } = await stage.worlds.empty.device(LOOKS[1]);
    await page.setContent(`<main style="width: 800px"><img src="data:,"><p style="color: #ccc">pale</p></main>`);
    const found = [...(await violations(page)), ...(await tooWide(page))].join("\n");
    for (const objection of ["image-alt: <img", "color-contrast: <p", "wider than the screen"])
      expect(found).toContain(objection);
  });

  it.each(LOOKS)(
    "has nothing that axe objects to, fits its screen and speaks one language: $locale, $colorScheme",
    {
      timeout: 600_000,
    },
    async ({ locale, ...options }) => {
      const found: Record<string, string[]> = {};
      const wrongs = await playScenes(stage, { locale, options }, async ({ name }, { page }) => {
        const problems = [
          ...(await violations(page)),
          ...(await tooWide(page)),
          ...(locale === "zh" ? await english(page) : []),
        ];
        if (problems.length > 0) found[name] = problems;
      });
      expect(found).toEqual({});
      expect(wrongs).toEqual([]);
    },
  );
});

/** What axe finds against WCAG 2.2 AA, one line each. */
async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, not by the page: the page's policy forbids scripts that are not its own.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(within: Document, how: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // All rules, but none of the report's other parts, which take a third of the time: where each element is, and all that is well.
    const result = await axe.run(document, { resultTypes: ["violations"], selectors: false, preload: false });
    return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}

function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth } = document.documentElement;
    return scrollWidth > innerWidth ? [`wider than the screen: ${scrollWidth} > ${innerWidth}`] : [];
  });
}

/** Sentences of the English catalogue that stand on a Chinese page. Short words may be a tool's own. */
async function english(page: Page): Promise<string[]> {
  const chinese = new Set(texts(WORDS.zh));
  const known = texts(WORDS.en).filter((text) => text.length > 6 && !chinese.has(text));
  const shown = new Set((await page.locator("body").innerText()).split("\n").map((line) => line.trim()));
  return known.filter((text) => shown.has(text)).map((text) => `English: ${text}`);
}

function texts(words: object): string[] {
  return Object.values(words).flatMap((value: unknown) => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? texts(value) : [];
  });
}
