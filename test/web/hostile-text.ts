import { existsSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.js";

/** Tricks of our own: markup, addresses, and characters that are not seen or move others. */
export const TRICKS = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg/onload=alert(1)>",
  "javascript:alert(1)",
  "</title><iframe src=https://evil.example/></iframe>",
  "<style>@import'//evil.example/x.css';</style>",
  "{{constructor.constructor('alert(1)')()}}",
  "\u202eevil\u202c \u2066x\u2069",
  "a\u200bb\u200dc\ufeffd\u00ade",
  "tag\u{e0041}\u{e0042} and \u{e0100}\u{1d173}",
  "\u001b[2J\u001b]8;;https://evil.example\u0007x",
  "Z\u0317\u0318\u0319\u031c\u0320\u0321",
  "line\u2028two\u2029three\r\nfour\tfive\u0000six",
  "https://\u0430\u0440\u0440\u04cf\u0435.com",
  "⟨10 spaces⟩",
  "constructor",
  "__proto__x",
  "\ud83d\ude00\u200d\ud83d\udd25",
] as const;

/** The big list of naughty strings where it lies beside the project, ours everywhere. */
export function naughtyStrings(): readonly string[] {
  const list = "../shared/data/naughty-strings.json";
  const more = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as string[]) : [];
  return [...TRICKS, ...more.filter((text) => text !== "" && !/\p{Surrogate}/u.test(text))];
}

/** As many of them as fit, whole; what a name may not hold is refused by the server before it gets anywhere. */
export function someOf(strings: readonly string[], longest: number, { asName = false } = {}): string {
  const allowed = asName
    ? strings.filter((text) => !/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text))
    : strings;
  return allowed.reduce((all, text) => (all.length + text.length < longest ? `${all} ${text}` : all), "").trim();
}

/** Tools whose every word is hostile: what they are called, what they say they would do, what they give back. */
export function hostileTools(strings: readonly string[]) {
  const text = strings.join("\n");
  const short = someOf(strings, 400);
  const described = (title: string) => z.string().meta({ title, description: text });
  const words = {
    title: short,
    description: text,
    app: short,
    inputSchema: z.looseObject({ text: described(short), [someOf(TRICKS, 60)]: described(short).optional() }),
    preview: () => ({
      effects: [{ kind: "update", noun: { en: short, zh: short }, count: 2, sample: strings.slice(0, 40) }],
      targets: [...strings.slice(0, 20)],
      warnings: [{ code: "trick", message: text, severity: "caution" as const }],
    }),
    rollback: { note: { en: short, zh: short }, call: () => ({ tool: "trick.reads", args: { text: short } }) },
    dryRun: () => ({ [short]: text }),
  };
  return [
    defineTool({
      ...words,
      name: "trick.works",
      effect: "write",
      riskTier: "R2",
      confirm: true,
      confirmPrompt: { en: "Do {text}?", zh: "做 {text}？" },
      execute: () => ({ [short]: text }),
    }),
    defineTool({
      ...words,
      name: "trick.fails",
      effect: "write",
      riskTier: "R2",
      confirm: true,
      execute: () => {
        throw new Error(text);
      },
    }),
    defineTool({ name: "trick.reads", title: short, effect: "read", execute: () => text }),
  ];
}

/** Characters that are there and not seen, or move others: none may stand in a page as itself. */
const UNSEEN = /[^\P{C}\n\t]|[\u2028\u2029\u200b-\u200f\u2066-\u2069\p{Default_Ignorable_Code_Point}]/u;

/** Nothing of it became markup, and every character of it can be seen: in the text, in names for screen readers, in choices. */
export async function showsEverything(page: Page, where: string): Promise<void> {
  const { texts, markup } = await page.evaluate(() => {
    const attributes = ["title", "aria-label", "placeholder", "alt"];
    const named = [...document.querySelectorAll("*")].flatMap((element) =>
      attributes.map((name) => element.getAttribute(name) ?? ""),
    );
    const options = [...document.querySelectorAll("option")].map((option) => option.textContent);
    const editors = [...document.querySelectorAll("*")].map((element) => element.shadowRoot?.textContent ?? "");
    return {
      texts: [document.body.innerText, document.title, ...named, ...options, ...editors],
      markup: document.querySelectorAll("iframe, script:not([src]), img, [onerror], [onload], [style*=url]").length,
    };
  });
  const unseen = texts.map((text) => UNSEEN.exec(text)?.[0].codePointAt(0)?.toString(16));
  expect(
    unseen.filter((point) => point !== undefined),
    where,
  ).toEqual([]);
  expect(markup, where).toBe(0);
}
