import { describe, expect, it } from "vitest";
import { charactersOf, PLANES } from "../../../test/support/planes.js";
import { inspectText } from "./inspect.js";

const DANGEROUS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

function codes(text: string): readonly string[] {
  return inspectText(text).map(({ code }) => code);
}

function words(text: string, code: string): string {
  return inspectText(text).find((notice) => notice.code === code)?.text ?? `no ${code}`;
}

describe("inspectText", () => {
  it.each([
    "send the report to ann@example.com",
    "line one\nline two\tend",
    "请把 email 发给王伟，抄送 HR部门。",
    "東京タワーへ行くTOKYO",
    "서울에서 만나요 2024年",
    "Ухо болит, а нос нет",
    "Θέλω και νερό",
    "Tiếng Việt rất hay",
    "ヘルプファイル.pdf",
    "报告.pdf 和 文件.docx",
    "हिन्दी में लिखें",
    "naïve café Straße münchen.de",
  ])("has nothing to say about %s", (text) => {
    expect(codes(text)).toEqual([]);
  });

  it("flags letters written from right to left, since a terminal cannot isolate them", () => {
    expect(codes("שלום")).toEqual(["right_to_left"]);
    expect(codes("مرحبا 123")).toEqual(["right_to_left"]);
  });

  it("attack A5: counts and names control, bidi and invisible characters", () => {
    expect(words("\u001b[2J\u009b31m\u001b", "control")).toBe("Holds control characters: 3 in all, \\u{1b}, \\u{9b}.");
    expect(words("Bash\u202ella", "bidi")).toContain("1 in all, \\u{202e}");
    expect(words("a\u200bb\u{e0041}\u{e0100}\u{1d173}", "invisible")).toContain(
      "\\u{200b}, \\u{e0041}, \\u{e0100}, \\u{1d173}",
    );
    expect(codes("a\u3164b")).toEqual(["invisible"]);
  });

  it.each(PLANES)("attack A5: raises a notice for every dangerous code point of Unicode's plane %i", (plane) => {
    const silent: string[] = [];
    for (const character of charactersOf(plane)) {
      const code = character.codePointAt(0)?.toString(16) ?? "";
      if (!DANGEROUS.test(character) || character === "\n" || character === "\t") continue;
      const notices = inspectText(`a${character}`);
      const named = notices.some((notice) => notice.text.includes(`\\u{${code}}`));
      if (!named || notices.some((notice) => DANGEROUS.test(notice.text))) silent.push(code);
    }
    expect(silent).toEqual([]);
  });

  it("flags stacked, leading and striking marks, and second spellings", () => {
    expect(codes("Z\u0317\u0318\u0319\u031c")).toEqual(["marks"]);
    expect(codes("\u0317a")).toEqual(["marks"]);
    expect(codes("n\u0337o")).toEqual(["marks"]);
    expect(codes("cafe\u0301")).toEqual(["not_composed"]);
  });

  it("attack A6: names the scripts that a word mixes", () => {
    expect(words("wire to аpple now", "mixed_scripts")).toBe(
      "Mixes scripts within a word: “аpple” (Cyrillic + Latin).",
    );
    expect(words("mіchael", "mixed_scripts")).toContain("(Latin + Cyrillic)");
    expect(words("pαypal", "mixed_scripts")).toContain("(Latin + Greek)");
    expect(words("漢字кот", "mixed_scripts")).toContain("(Han + Cyrillic)");
  });

  it("attack A6: says which ASCII word an imitation is taken for", () => {
    expect(words("аррӏе", "confusable")).toBe("Looks like other words: “аррӏе” (Cyrillic) is not “apple”.");
    expect(words("ｐａｙｐａｌ", "confusable")).toContain("is not “paypal”");
    expect(words("𝐫𝐨𝐨𝐭", "confusable")).toContain("is not “root”");
    expect(words("аpple", "confusable")).toContain("is not “apple”");
    expect(words("Отправь на раураӏ", "confusable")).toContain("is not “paypal”");
  });

  it("attack A6: shows what a look-alike host really is, in URLs, addresses and bare names", () => {
    expect(words("аpple.com", "look_alike_host")).toBe(
      "Names a host that is not what it looks like: “аpple.com” (Cyrillic + Latin) is really xn--pple-43d.com.",
    );
    expect(words("https://аррӏе.com/x", "look_alike_host")).toContain("is really xn--80ak6aa92e.com");
    expect(words("ann@exаmple.com", "look_alike_host")).toContain("is really xn--exmple-4nf.com");
    expect(words("https://münchen.de", "look_alike_host")).toContain("is really xn--mnchen-3ya.de");
    expect(words("https://ｐaypal.com", "look_alike_host")).toContain("is really paypal.com");
  });

  it("attack A6: draws what hides behind punycode", () => {
    expect(words("xn--pple-43d.com", "look_alike_host")).toBe(
      "Names a host that is not what it looks like: “xn--pple-43d.com”, drawn as “аpple.com” (Cyrillic + Latin) is really xn--pple-43d.com.",
    );
    expect(words("ann@XN--FIQS8S.cn", "look_alike_host")).toContain("drawn as “中国.cn”");
    expect(words("xn--bcher-kva.example", "look_alike_host")).toContain("drawn as “bücher.example”");
    for (const label of ["xn--99999999999", "xn--a\u00e9", `xn--${"9".repeat(240)}`]) {
      expect(words(`${label}.com`, "look_alike_host")).toContain("is not a valid name");
    }
  });

  it("attack A3: tells of padding and length", () => {
    expect(words(`ls${" \n".repeat(5_000)}; rm`, "padding")).toBe(
      "Holds 10,000 blanks in a row, with more text behind them.",
    );
    expect(words("各".repeat(3_000), "long")).toBe("Is long: 3,000 characters, 9,000 bytes.");
  });

  it("counts what it does not list", () => {
    const many = Array.from({ length: 9 }, (_, index) => `аpple${index}`).join(" ");
    expect(words(many, "mixed_scripts")).toContain("; and 4 more.");
  });

  it.each(["a", "а", "xn--", "аp", ".", "a.", "а\u0301\u0301\u0301\u0301", " \n", "各aа", "xn--a.", "e\u0301"])(
    "reads a megabyte of %j once, not once per character",
    (unit) => {
      // quadratic work on this size would run into the time limit of the test
      expect(codes(unit.repeat(2 ** 20 / unit.length))).toContain("long");
    },
  );

  it("reads a long row of dots between letters once", () => {
    expect(codes(`а${".".repeat(2 ** 20)}а`)).toContain("long");
  });
});
