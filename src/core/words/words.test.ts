import { describe, expect, it } from "vitest";
import { RISK_TIERS } from "../risk.js";
import { escapeText } from "../text/escape.js";
import { inspectText } from "../text/inspect.js";
import { previewOf } from "../text/preview.js";
import { shown } from "../text/shown.js";
import { LOCALES, translateMarkers, wordsIn } from "./words.js";

const [en, zh] = [wordsIn("en"), wordsIn("zh")];
const HAN = /\p{Script=Han}/u;

describe("the catalogue", () => {
  it("has every key in every language, none of them empty", () => {
    for (const locale of LOCALES) {
      const words = wordsIn(locale);
      expect(Object.keys(words).sort()).toEqual(Object.keys(en).sort());
      for (const value of Object.values(words)) expect(value).not.toBe("");
      expect(RISK_TIERS.map((tier) => words.risk[tier]).every(Boolean)).toBe(true);
    }
  });

  it("says nothing in English where Chinese is asked for", () => {
    const fixed = Object.values(zh).filter((value) => typeof value === "string");
    expect(fixed.filter((value) => !HAN.test(value))).toEqual([]);
  });

  it.each([
    ["delete", 12, "task", "deletes 12 tasks", "删除 12 项 task"],
    ["send", 1, "e-mail", "sends 1 e-mail", "发送 1 项 e-mail"],
    ["create", 2, "entry", "creates 2 entries", "新建 2 项 entry"],
    ["update", 3, "box", "changes 3 boxes", "修改 3 项 box"],
    ["spend", 20, "EUR", "spends 20 EUR", "花费 20 EUR"],
    ["archive", 2, "任务", "archive: 2 任务", "archive： 2 项任务"],
    ["constructor", 2, "things", "constructor: 2 things", "constructor： 2 项 things"],
  ])("counts what %s does to %i %s", (kind, count, noun, english, chinese) => {
    const [shownKind, shownCount, shownNoun] = [escapeText(kind), shown`${count}`, escapeText(noun)];
    expect(en.effect(shownKind, shownCount, count === 1, shownNoun)).toBe(english);
    expect(zh.effect(shownKind, shownCount, count === 1, shownNoun)).toBe(chinese);
  });

  it("attack A4, A7: tells in Chinese which letters a name is imitated with", () => {
    const said = inspectText("https://аpple.com and аррӏе").map((notice) => zh.notice(notice));
    expect(said).toEqual([
      "有 1 个词混用了不同文字的字母，如“аpple”（西里尔字母＋拉丁字母）。",
      "有 2 个词看起来像别的词，其实不是，如“аpple”（西里尔字母＋拉丁字母）。",
      "域名与看上去的不同：“аpple.com”（西里尔字母＋拉丁字母）实际是 xn--pple-43d.com。",
    ]);
  });

  it.each([
    "\u001b[2J",
    "a\u202eb",
    "a\u200bb",
    "Z\u0317\u0318\u0319\u031c",
    "cafe\u0301",
    "שלום",
    "wire to аpple now",
    "аррӏе",
    "https://аррӏе.com/x",
    `ls${" ".repeat(50)}rm`,
    "各".repeat(3_000),
  ])("tells in Chinese what it notices about %j", (text) => {
    const notices = inspectText(text);
    expect(notices.length).toBeGreaterThan(0);
    for (const notice of notices) expect(zh.notice(notice)).toMatch(HAN);
    for (const { really, code, ...rest } of notices) {
      if (code === "look_alike_host") expect(zh.notice({ really, code, ...rest } as never)).toContain(really);
    }
  });

  it.each([
    "destructive",
    "declared_tier",
    "undeclared_write",
    "tag",
    "verb",
    "low_confidence",
    "rule_failed",
    "unknown_tool",
    "uninspectable",
  ])("says in Chinese why it asks: %s", (code) => {
    const facts = { code, riskTier: "R3", text: shown`Something in English.`, fragment: shown`7` } as const;
    expect(zh.reason(facts)).toMatch(HAN);
    expect(zh.reason(facts)).not.toContain("English");
  });

  it("translates the sanitiser's markers and nothing that only looks like one", () => {
    const local = (text: string) => translateMarkers(escapeText(text), "zh");
    expect(local(`a${" ".repeat(10)}b${"\n".repeat(9)}${"\t".repeat(8)}`)).toBe("a⟨10 个空格⟩b⟨9 个换行⟩⟨8 个制表符⟩");
    expect(local("⟨10 spaces⟩")).toBe("\\u{27e8}10 spaces\\u{27e9}");
    expect(translateMarkers(previewOf(escapeText("x".repeat(1_500)), 100).text, "zh")).toMatch(/x⟨还有 1,400 个字符⟩$/);
    expect(translateMarkers(shown`⟨hidden: 12 characters, ab12⟩`, "zh")).toBe("⟨已隐藏：12 个字符, ab12⟩");
    expect(translateMarkers(shown`⟨9 × \\u{200b}⟩`, "zh")).toBe("⟨9 × \\u{200b}⟩");
  });
});
