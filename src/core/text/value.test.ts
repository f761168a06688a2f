import { describe, expect, it } from "vitest";
import { charactersOf, PLANES } from "../../../test/support/planes.js";
import { canonicalize, type Json } from "../json.js";
import { type ShownLeaf, type ShownValue, showValue } from "./value.js";

const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

function leaves(node: ShownValue): readonly ShownLeaf[] {
  return "children" in node ? node.children.flatMap(leaves) : [node];
}

/** Everything of a node that a surface could draw. */
function drawn(node: ShownValue): readonly string[] {
  const own = [node.label, ...node.notices.flatMap((notice) => [notice.text, notice.fragment ?? ""])];
  if ("children" in node) return [...own, ...node.children.flatMap(drawn)];
  return [...own, node.text, node.preview.text, ...(node.lines ?? [])];
}

describe("showValue", () => {
  it("shows every part in canonical order with its path, size and count", () => {
    const shown = showValue({
      to: ["ann@example.com", "bob@example.com"],
      "a b": null,
      amount: 12.5,
      urgent: true,
      note: "",
    });
    expect(leaves(shown).map(({ label, kind, text }) => [label, kind, text])).toEqual([
      ['["a b"]', "null", "null"],
      ["amount", "number", "12.5"],
      ["note", "string", "⟨empty⟩"],
      ["to[0]", "string", "ann@example.com"],
      ["to[1]", "string", "bob@example.com"],
      ["urgent", "boolean", "true"],
    ]);
    expect(shown).toMatchObject({ kind: "object", count: 5, label: "" });
  });

  it.each<{ readonly value: Json }>([
    { value: {} },
    { value: [] },
    { value: [1, "é", { a: [], b: null, 'q"': -0.5 }] },
    { value: "各" },
    { value: { 各: ["\n", 1e21] } },
  ])("counts the bytes of the canonical form of $value", ({ value }) => {
    expect(showValue([value]).bytes).toBe(Buffer.byteLength(canonicalize([value])));
  });

  it.each([1_024, 65_536, 1_048_000])("attack A3: says how long a value of %i bytes is and keeps all of it", (size) => {
    const value = `ls ${"x".repeat(size - 12)}; rm -rf`;
    const [leaf] = leaves(showValue({ cmd: value }));
    expect(leaf).toMatchObject({ text: value, bytes: size - 1 });
    expect(leaf?.preview.complete).toBe(false);
    const more = /⟨\+ ([\d,]+) more characters⟩$/.exec(leaf?.preview.text ?? "");
    expect(Number(more?.[1]?.replaceAll(",", "")) + 400).toBe(value.length);
  });

  it("attack A3: shows what stands behind padding, even in the preview", () => {
    const [spaces, newlines] = leaves(
      showValue([`ls${" ".repeat(10_000)}; rm -rf /`, `ls${"\n".repeat(500)}rm -rf /`]),
    );
    expect(spaces?.preview).toEqual({ text: "ls⟨10000 spaces⟩; rm -rf /", complete: true });
    expect(newlines?.lines).toEqual(["ls", "⟨500 newlines⟩", "rm -rf /"]);
    expect(spaces?.notices.map(({ code }) => code)).toEqual(["padding", "long"]);
  });

  it("attack A3: reaches element 9,999 of a list and the bottom of a 40-level nest", () => {
    const list = Array.from({ length: 10_000 }, (_, index) => (index === 9_999 ? "rm -rf /" : "ok"));
    expect(leaves(showValue({ list })).at(-1)).toMatchObject({ label: "list[9999]", text: "rm -rf /" });
    let nest: Json = "rm -rf /";
    for (let level = 0; level < 40; level++) nest = { a: nest };
    expect(leaves(showValue(nest))[0]).toMatchObject({ text: "rm -rf /", label: Array(40).fill("a").join(".") });
  });

  it("never cuts an escape or a marker in two", () => {
    const [leaf] = leaves(showValue([`abc\u202edef`], { previewLength: 7 }));
    expect(leaf?.preview).toEqual({ text: "abc⟨+ 11 more characters⟩", complete: false });
  });

  it.each(PLANES)("attack A5: shows no dangerous code point of Unicode's plane %i, in key or value", (plane) => {
    const raw: string[] = [];
    const all = [...charactersOf(plane)];
    for (let start = 0; start < all.length; start += 64) {
      const characters = all.slice(start, start + 64);
      const shown = showValue({ [characters.join("k")]: characters.join("v"), text: characters.join("\n") });
      if (drawn(shown).some((text) => FORBIDDEN.test(text))) raw.push(start.toString(16));
    }
    expect(raw).toEqual([]);
  });

  it("attack A6: carries the notices of a key as well as those of its value", () => {
    const [leaf] = leaves(showValue({ "Bash\u202e": "аpple.com" }));
    expect(leaf?.label).toBe('["Bash\\u{202e}"]');
    expect(leaf?.notices.map(({ code }) => code)).toEqual(["bidi", "mixed_scripts", "confusable", "look_alike_host"]);
    expect(leaf?.notices[0]?.text).toMatch(/^In the name: /);
  });
});
