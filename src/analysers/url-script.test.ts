import { describe, expect, it } from "vitest";
import { looksLikeAnother } from "./url-script.js";

describe("a label that can pass for another (attack C7)", () => {
  it.each([
    ["one Cyrillic letter among Latin ones", "ex\u0430mple"],
    ["one Greek letter among Latin ones", "g\u03bfogle"],
    ["one Armenian letter among Latin ones", "g\u0585ogle"],
    ["one Cherokee letter among Latin ones", "\u13a0pple"],
    ["Cyrillic beside Greek", "\u0431\u03b4"],
    ["Cyrillic letters that all look Latin", "\u0430\u0440\u0440\u04cf\u0435"],
    ["the same with digits and a hyphen", "\u0430\u0441-24"],
    ["Cyrillic beside Chinese", "\u0431\u4f8b"],
    ["Greek beside Hangul", "\u03b4\uac00"],
    ["a combining mark", "\u6587\u0307"],
    ["a hyphen that is another", "a\u2010b"],
    ["a dash at the end of its range", "a\u2015b"],
    ["a slash that is another", "a\u2044b"],
    ["a full stop that is another", "a\u3002b"],
    ["a click that looks like a mark", "a\u01c3"],
  ])("has %s", (_what, label) => {
    expect(looksLikeAnother(label)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["plain Latin", "example-24"],
    ["digits", "24-7"],
    ["Russian that begins like Latin", "\u0430\u0431\u0431\u0430\u0442"],
    ["punctuation", "a~b !"],
    ["Latin with accents", "m\u00fcnchen"],
    ["Russian", "\u043f\u0440\u0438\u043c\u0435\u0440"],
    ["Greek", "\u03bb\u03cc\u03b3\u03bf\u03c2"],
    ["Armenian", "\u0570\u0561\u0575"],
    ["Chinese", "\u4f8b\u5b50"],
    ["Latin beside Chinese", "taobao\u6dd8\u5b9d"],
    ["Japanese", "\u4f8b\u3048\u30c6"],
    ["Korean beside Latin", "abc\uac00"],
  ])("is not one of %s", (_what, label) => {
    expect(looksLikeAnother(label)).toBe(false);
  });
});
