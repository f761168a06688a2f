import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { fillInbox } from "./sample-inbox.js";
import { closeBrowser, HAS_BROWSER, openWebWorld, type WebWorld } from "./world.js";

afterAll(closeBrowser);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds against WCAG 2.2 AA, one line each. */
async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, not by the page: the page's policy forbids scripts that are not its own.
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const found = await axe.run();
    return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}

/** Every page there is, with something on it. */
async function pagesOf(world: WebWorld): Promise<readonly (readonly [string, RegExp])[]> {
  const { mail, clear, long, group, failed } = await fillInbox(world);
  return [
    ["/", /^(Inbox|待处理)$/],
    [`/approvals/${mail}`, /Invoice/],
    [`/approvals/${clear}`, /Household/],
    [`/approvals/${long}/full`, /newsletter/],
    [`/group/${group}`, /3/],
    [`/approvals/${failed}`, /Run/],
    [`/audit/${failed}`, /^(Timeline|时间线)$/],
    ["/history", /^(History|历史)$/],
    ...["apps", "grants", "privacy", "notifications", "security", "people", "developer", "display"].map(
      (section) => [`/settings/${section}`, /^(Settings|设置)$/] as const,
    ),
  ];
}

describe.runIf(HAS_BROWSER)("what the pages look like to everybody", () => {
  it.each([
    { locale: "en-GB", colorScheme: "light", viewport: { width: 1280, height: 800 }, pages: /./ },
    {
      locale: "zh-CN",
      colorScheme: "dark",
      viewport: { width: 390, height: 844 },
      pages: /^\/$|group|approvals|developer/,
    },
  ] as const)("has nothing that axe objects to: $locale, $colorScheme", { timeout: 240_000 }, async (device) => {
    const world = await openWebWorld();
    const { pages, ...options } = device;
    const { page, wrongs } = await world.signedIn(options);
    const found: Record<string, string[]> = {};
    for (const [path, title] of (await pagesOf(world)).filter(([each]) => pages.test(each))) {
      await page.goto(`${world.url}${path}`);
      await page.getByRole("heading", { name: title }).first().waitFor();
      const problems = await violations(page);
      if (problems.length > 0) found[path] = problems;
      // Nothing is wider than the screen.
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    expect(found).toEqual({});
    expect(wrongs).toEqual([]);
  });

  it("speaks Chinese on every page, and keeps what it was told", async () => {
    const world = await openWebWorld();
    const { page } = await world.signedIn();
    await page.goto(`${world.url}/settings/display`);
    await page.getByLabel("Language", { exact: true }).selectOption("zh");
    await page.getByRole("heading", { name: "语言与外观" }).waitFor();
    await page.getByLabel("外观", { exact: true }).selectOption("dark");
    for (const [path] of await pagesOf(world)) {
      await page.goto(`${world.url}${path}`);
      await page.getByRole("navigation", { name: "主导航" }).waitFor({ state: "attached" });
      expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
      const paper = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      expect(paper).toBe("rgb(21, 23, 27)");
    }
  });
});

const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "<svg/onload=alert(1)>",
  "javascript:alert(1)",
  "</title><iframe src=https://evil.example/></iframe>",
  "<style>@import'//evil.example/x.css';</style>",
  "{{constructor.constructor('alert(1)')()}}",
  "\u202eevil\u202c \u2066x\u2069",
  "a\u200bb\u200dc\ufeffd\u00ade",
  "tag\u{e0041}\u{e0042}",
  "\u001b[2J\u001b]8;;https://evil.example\u0007x",
  "Z\u0317\u0318\u0319\u031c\u0320\u0321",
  "line\u2028two\u2029three\r\nfour\tfive\u0000six",
  "https://\u0430\u0440\u0440\u04cf\u0435.com",
  "⟨10 spaces⟩",
  "constructor",
  "__proto__x",
  "\ud83d\ude00\u200d\ud83d\udd25",
];

/** The big list of naughty strings where it lies beside the project, ours everywhere. */
function naughtyStrings(): readonly string[] {
  const list = "../shared/data/naughty-strings.json";
  const more = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as string[]) : [];
  return [...HOSTILE, ...more.filter((text) => text !== "" && text.isWellFormed())];
}

/** Characters that are there and not seen, or move others: none may stand in a page as itself. */
const UNSEEN = /[^\P{C}\n\t]|[\u2028\u2029\u200b-\u200f\u2066-\u2069]/u;

describe.runIf(HAS_BROWSER)("hostile text in every field", () => {
  it("runs nothing, loads nothing, and hides nothing (attacks A5, A6, A8)", { timeout: 240_000 }, async () => {
    const world = await openWebWorld();
    const { page, wrongs } = await world.signedIn();
    const strings = naughtyStrings();
    const all = strings.join("\n");
    const ids: string[] = [];
    for (let at = 0; at < HOSTILE.length; at += 3) {
      const text = HOSTILE.slice(at, at + 3).join(" ");
      const asked = await world.ask(
        "email.send",
        { to: [text], subject: text, body: text },
        { summary: text, runId: "run" },
        { agentId: text.replaceAll("\u0000", ""), sessionId: `s ${text.replaceAll("\u0000", "")}` },
      );
      ids.push(asked.approvalId);
    }
    const whole = await world.ask("email.send", { to: strings.slice(0, 50), subject: "all", body: all });
    const person = { kind: "person", userId: "ann", workspaceId: "home" } as const;
    const denied = await world.ask("email.send", { to: ["x"], subject: "no", body: "no" });
    await world.gate.decide(
      { approvalId: denied.approvalId, decision: "deny", reason: HOSTILE.slice(0, 10).join(" ").slice(0, 900) },
      person,
    );
    const paths = [
      "/",
      ...ids.map((id) => `/approvals/${id}`),
      `/approvals/${whole.approvalId}`,
      `/approvals/${denied.approvalId}`,
      `/audit/${ids[0] ?? ""}`,
      `/audit/${denied.approvalId}`,
      "/history",
    ];
    for (const path of paths) {
      await page.goto(`${world.url}${path}`);
      await page.getByRole("main").getByRole("heading").first().waitFor();
      for (const fold of await page.getByRole("button", { name: /^Show all/ }).all()) await fold.click();
      const text = await page.locator("body").innerText();
      expect(UNSEEN.exec(text)?.[0].codePointAt(0)?.toString(16), path).toBeUndefined();
    }
    expect(
      await page.evaluate(() => document.querySelectorAll("iframe, script:not([src]), [onerror], [onload]").length),
    ).toBe(0);
    expect(wrongs).toEqual([]);
  });
});
