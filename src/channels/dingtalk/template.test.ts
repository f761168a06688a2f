import { describe, expect, it } from "vitest";
import { endedFace, HOSTILE, questionFace } from "../../../test/channels/stand-ins/dingtalk/face.js";
import { plainMarkup } from "../../../test/channels/stand-ins/dingtalk/markup.js";
import { noticeOf, variablesOf } from "./template.js";

describe("a face as the variables of a template", () => {
  it("has all of them, whether they are used or not", () => {
    const variables = variablesOf(questionFace());
    expect(variables).toMatchObject({
      heading: "▲ 高风险 (R3) · 27",
      closing: "回复 确认 27 或 取消 27",
      approveShown: "true",
      approveLabel: "同意",
      approveValue: "0a1b2c3d4e5f6a7b.a",
      denyShown: "true",
      denyValue: "0a1b2c3d4e5f6a7b.d",
      openShown: "true",
      openUrl: "https://gate.example/approvals/apr_1?a=1&b=2",
      text2: "",
      text12: "",
    });
    expect(variables?.text1).toContain("table: orders");
    expect(Object.keys(variablesOf(endedFace()) ?? {})).toEqual(Object.keys(variables ?? {}));
  });

  it("has no buttons at the end, and no values that could be pressed", () => {
    expect(variablesOf(endedFace())).toMatchObject({
      approveShown: "false",
      approveValue: "",
      denyShown: "false",
      denyValue: "",
      openShown: "false",
      openUrl: "",
    });
  });

  it("spreads a long text over its variables, each of at most 1 KB", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `row ${index}: ${"汉".repeat(40)}`);
    const variables = variablesOf(questionFace(lines)) ?? {};
    for (const value of Object.values(variables)) expect(Buffer.byteLength(value)).toBeLessThanOrEqual(1000);
    const text = Array.from({ length: 12 }, (_, index) => variables[`text${index + 1}`]).join("\n");
    for (const line of lines) expect(text).toContain(line);
  });

  it("does not fit when the variables cannot hold all of it", () => {
    const full = variablesOf(questionFace(["x".repeat(10_000)])) ?? {};
    expect(Object.values(full).join("").match(/x{5,}/g)?.join("")).toBe("x".repeat(10_000));
    expect(variablesOf(questionFace(["x".repeat(12_000)]))).toBeUndefined();
    const [approve] = questionFace().buttons;
    const url = `https://gate.example/${"x".repeat(1000)}`;
    expect(approve && variablesOf(questionFace([], [{ kind: "open", label: approve.label, url }]))).toBeUndefined();
  });

  it("makes nothing of hostile values, even where a template would", () => {
    const variables = variablesOf(questionFace(HOSTILE)) ?? {};
    const { approveValue, denyValue, openUrl, ...texts } = variables;
    expect(Object.values(texts).flatMap(plainMarkup)).toEqual([]);
    expect([approveValue, denyValue, openUrl].every((value) => value !== "")).toBe(true);
  });

  it("keeps a notice within its variable", () => {
    expect(noticeOf("已同意")).toEqual({ notice: "已同意" });
    expect(Buffer.byteLength(noticeOf("长".repeat(1000)).notice ?? "")).toBeLessThanOrEqual(1000);
  });
});
