import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charactersOf, PLANES } from "../../../test/support/planes.js";
import { escapeLines, escapeText } from "./escape.js";

const NAUGHTY = "../shared/data/naughty-strings.json";
/** Written without the module's own classes, from the names in the attack: what may never be drawn as itself. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const EXOTIC_SPACE = /(?! )\p{Zs}/u;

const NAMED: Readonly<Record<string, string>> = { space: " ", newline: "\n", tab: "\t" };

/** The reading that a careful person does: proof that nothing is lost and no two texts are shown alike. */
function unescapeText(shown: string): string {
  const piece = /\\(\\|n|t|u\{([0-9a-f]+)\})|⟨(\d+) (?:(space|newline|tab)s?|× \\u\{([0-9a-f]+)\})⟩/g;
  return shown.replace(piece, (_, escape, hex, count, name, counted) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (escape !== undefined) return escape === "\\" ? "\\" : escape === "n" ? "\n" : "\t";
    return (NAMED[name] ?? String.fromCodePoint(Number.parseInt(counted ?? "0", 16))).repeat(Number(count));
  });
}

function unescapeLines(lines: readonly string[]): string {
  const broken = lines.join("\n").replace(/\n⟨(\d+) newlines⟩\n/g, (_, count) => "\n".repeat(Number(count)));
  return unescapeText(broken);
}

/** Text as an attacker writes it: pieces of every rule, next to each other in any order. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."\\ntu{}⟨⟩ 0a×", "\n", "\t", "\r", "\u0301", "\u202e", "\u200b", "e", "é", "ᄀ", "ᅡ", "\u212a"),
      fc.constantFrom(
        "\\u{41}",
        "⟨8 spaces⟩",
        "        ",
        "\n".repeat(8),
        "\u00a0".repeat(9),
        "\ud800",
        "\udc00",
        "各",
      ),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(""));

describe("escapeText", () => {
  it.each([
    ["plain text", "rm -rf ./build && echo done"],
    ["Windows paths", "C:\\Users\\me\\docs"],
    ["expressions", "s/\\d+\\.\\w*/x/"],
    ["Chinese", "请把《报告》发给王伟，抄送：李雷。"],
    ["Japanese", "カレーライスを食べる"],
    ["Korean", "한국어 텍스트"],
    ["Arabic", "مُحَمَّد"],
    ["Hebrew", "שָׁלוֹם"],
    ["Hindi", "लड़कों को हिन्दी"],
    ["Thai", "ที่นี่มีน้ำ"],
    ["Vietnamese", "Tiếng Việt"],
    ["emoji without joiners", "done 🎉👍🏽🇨🇳"],
  ])("leaves %s as they are", (_, text) => {
    expect(escapeText(text)).toBe(text);
  });

  it.each([
    ["line\nbreak\tand tab", "line\\nbreak\\tand tab"],
    ["bare\rreturn", "bare\\u{d}return"],
    ["\u001b[31mred", "\\u{1b}[31mred"],
    ["abc\u202etxt.exe", "abc\\u{202e}txt.exe"],
    ["a\u200bb", "a\\u{200b}b"],
    ["no\u00a0break", "no\\u{a0}break"],
    ["全角\u3000空格", "全角\\u{3000}空格"],
    ["❤\ufe0f", "❤\\u{fe0f}"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800", "\\u{d800}"],
    ["C:\\new", "C:\\\\new"],
    ["\\u{202e}", "\\\\u{202e}"],
    ["\\\\server\\share", "\\\\\\\\server\\share"],
    ["end\\", "end\\\\"],
    ["\\\u200b", "\\\\\\u{200b}"],
    ["⟨9 spaces⟩", "\\u{27e8}9 spaces\\u{27e9}"],
    ["ls ", "ls⟨1 space⟩"],
    ["  ls", "⟨2 spaces⟩ls"],
    ["\u0301a", "\\u{301}a"],
    ["no\u0338t", "no\\u{338}t"],
    ["Z\u0317\u0318\u0319\u031c\u031d", "Z\u0317\u0318\u0319\\u{31c}\\u{31d}"],
    ["cafe\u0301", "cafe\\u{301}"],
    ["\u1100\u1161", "\u1100\\u{1161}"],
    ["300 \u212a", "300 \\u{212a}"],
  ])("shows %j as %s", (text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it("attack A3: counts padding instead of drawing it, so that what follows stays in sight", () => {
    expect(escapeText(`ls${" ".repeat(10_000)}; rm -rf /`)).toBe("ls⟨10000 spaces⟩; rm -rf /");
    expect(escapeText(`ls${"\n".repeat(500)}rm -rf /`)).toBe("ls⟨500 newlines⟩rm -rf /");
    expect(escapeText(`ls${"\t".repeat(64)}x`)).toBe("ls⟨64 tabs⟩x");
    expect(escapeText(`ls${"\u2800".repeat(999)}x`)).toBe("ls⟨999 × \\u{2800}⟩x");
  });

  it.each(PLANES)(
    "attack A5: escapes every dangerous code point of Unicode's plane %i, wherever it stands",
    (plane) => {
      const raw: string[] = [];
      const unread: string[] = [];
      for (const character of charactersOf(plane)) {
        const code = character.codePointAt(0)?.toString(16) ?? "";
        // At the start, within a word, and before what begins an escape.
        const text = `${character}b各${character}\\`;
        const shown = escapeText(text);
        if (FORBIDDEN.test(shown) || EXOTIC_SPACE.test(shown)) raw.push(code);
        if (unescapeText(shown) !== text) unread.push(code);
        const named = character === "\n" ? "\\n" : character === "\t" ? "\\t" : `\\u{${code}}`;
        if (FORBIDDEN.test(character) && escapeText(`x${character}y`) !== `x${named}y`) raw.push(code);
      }
      expect({ raw, unread }).toEqual({ raw: [], unread: [] });
    },
  );

  it("attack A5: never shows two texts alike", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = escapeText(text);
        expect(FORBIDDEN.test(shown)).toBe(false);
        expect(shown.normalize("NFC")).toBe(shown);
        expect(unescapeText(shown)).toBe(text);
      }),
      { numRuns: 20_000 },
    );
  });

  it.runIf(existsSync(NAUGHTY))("shows every naughty string safely and reversibly", () => {
    const strings: readonly string[] = JSON.parse(readFileSync(NAUGHTY, "utf8"));
    expect(strings.length).toBeGreaterThan(100);
    for (const text of strings) {
      expect(escapeText(text)).not.toMatch(FORBIDDEN);
      expect(unescapeText(escapeText(text))).toBe(text);
      expect(unescapeLines(escapeLines(text))).toBe(text);
    }
  });

  it.each([
    ["spaces", " "],
    ["seven spaces and a letter", "       a"],
    ["marks", "\u0301"],
    ["vowels of Hangul", "\u1161"],
    ["backslashes", "\\"],
    ["newlines and spaces", "\n "],
    ["opening brackets", "⟨"],
    ["decomposed letters", "e\u0301"],
    ["mixed text", "каравай各a\u200b\u0301\u0301\u0301\u0301 \\n⟨"],
  ])("reads a megabyte of %s once, not once per character", (_, unit) => {
    // quadratic work on this size would run into the time limit of the test
    const text = unit.repeat(2 ** 20 / unit.length);
    expect(unescapeText(escapeText(text))).toBe(text);
    expect(unescapeLines(escapeLines(text))).toBe(text);
  });
});

describe("escapeLines", () => {
  it("keeps line breaks and indentation, and marks what the eye would miss", () => {
    const text = "def f():\n        return 1 \n\n   \n\tpass\r\nend";
    expect(escapeLines(text)).toEqual([
      "def f():",
      "        return 1⟨1 space⟩",
      "",
      "⟨3 spaces⟩",
      "\\tpass\\u{d}",
      "end",
    ]);
  });

  it("attack A3: counts blank lines and far indentation", () => {
    expect(escapeLines(`a${"\n".repeat(500)}b`)).toEqual(["a", "⟨500 newlines⟩", "b"]);
    expect(escapeLines(`a\n${" ".repeat(200)}b`)).toEqual(["a", "⟨200 spaces⟩b"]);
  });

  it("never shows two texts alike", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = escapeLines(text);
        for (const line of lines) expect(FORBIDDEN.test(line)).toBe(false);
        expect(unescapeLines(lines)).toBe(text);
      }),
      { numRuns: 10_000 },
    );
  });
});
