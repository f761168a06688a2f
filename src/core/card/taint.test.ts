import { existsSync, readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import { everywhere } from "../../../test/support/everywhere.js";
import { textsIn } from "../../../test/support/held.js";
import { renderCardText } from "../../terminal/render.js";
import { CLASSES } from "../text/characters.js";
import type { Shown } from "../text/shown.js";
import type { Card } from "./card.js";
import { inputPreview } from "./values.js";

/** Names the fields of a type that hold text which is neither escaped nor one of a few fixed words. */
type Raw<T, Path extends string = ""> = T extends string
  ? T extends Shown
    ? never
    : string extends T
      ? Path
      : never
  : T extends readonly (infer Item)[]
    ? Raw<Item, `${Path}[]`>
    : T extends object
      ? // the recursion of nested values is cut here: what a child may hold its parent holds too
        { [K in keyof T & string]-?: K extends "children" ? never : Raw<T[K], `${Path}.${K}`> }[keyof T & string]
      : never;

const DANGEROUS = new RegExp(`[${CLASSES.dangerous}]`, "u");

/** Of every kind of dangerous character some, and all of the small kinds. */
function dangerousCharacters(): string {
  const found: string[] = [];
  const range = (from: number, to: number, step = 1) => {
    for (let point = from; point <= to; point += step) {
      const character = String.fromCodePoint(point);
      // lone surrogates never get this far: they are refused as input
      if (DANGEROUS.test(character) && !(point >= 0xd800 && point <= 0xdfff)) found.push(character);
    }
  };
  range(0, 0x3100);
  range(0xfe00, 0xffff);
  range(0x3100, 0xd7ff, 61);
  range(0xe000, 0xfdff, 97);
  range(0x10000, 0x10ffff, 1_009);
  range(0xe0000, 0xe01ff);
  return found.join("");
}

const NAUGHTY = new URL("../../../../shared/data/naughty-strings.json", import.meta.url);
const OWN = [
  "\u001b[2J\u001b]0;owned\u0007",
  "deny\rallow\b\b",
  "\u009b31m",
  "<script>alert(1)</script>",
  "`</at>` @all",
  "a\u202eb",
];
const naughty: readonly string[] = existsSync(NAUGHTY) ? JSON.parse(readFileSync(NAUGHTY, "utf8")) : [];
const usable = naughty.filter((text) => !/\p{Cs}/u.test(text) && text !== "");

function drawn(card: Card): string {
  const texts = [JSON.stringify(card), ...textsIn(card), ...textsIn(inputPreview(card))];
  return [...texts, ...renderCardText(card, { width: 80, colour: false, details: true }).split("\n")].join("");
}

describe("what reaches a card", () => {
  it("attack A6: is escaped text in every field, by the compiler's word", () => {
    expectTypeOf<Raw<Card>>().toEqualTypeOf<never>();
    expectTypeOf<Raw<{ readonly a: { readonly b: string }[] }>>().toEqualTypeOf<".a[].b">();
  });

  it("attack A5, A6: holds no dangerous character, whichever input brings it", async () => {
    for (const sensitive of [[], ["secret"]]) {
      const cards = await everywhere(dangerousCharacters(), sensitive);
      for (const card of cards) expect(DANGEROUS.exec(drawn(card))).toBeNull();
    }
  });

  it("attack A4, A7: holds none of the naughty strings' tricks", async () => {
    // several to a card: each stands in each place all the same
    for (const text of [...OWN, usable.join(" | ")]) {
      for (const card of await everywhere(text)) expect(DANGEROUS.exec(drawn(card))).toBeNull();
    }
  });

  it("attack A5: leaves the hash of the call as it is, and shows different calls differently", async () => {
    const [one] = await everywhere("a\u200bb");
    const [two] = await everywhere("a\u200cb");
    expect(one?.toolCallHash).not.toBe(two?.toolCallHash);
    expect(one?.toolCallCanonical).not.toBe(two?.toolCallCanonical);
    expect(JSON.stringify(one?.arguments)).not.toBe(JSON.stringify(two?.arguments));
  });
});
