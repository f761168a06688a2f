import { expect, it } from "vitest";
import { type Apart, toldApart } from "./doctor.js";

const MINE = { account: 1000, keeper: 1000, passkeys: 0 };

it.each<[string, Apart, "ok" | "warning"]>([
  ["everything is under one account, without a passkey", MINE, "warning"],
  ["nobody is signed in, so that passkeys are not known", { ...MINE, passkeys: undefined }, "warning"],
  ["there is a passkey", { ...MINE, passkeys: 1 }, "ok"],
  ["the data belong to another account", { ...MINE, keeper: 999 }, "ok"],
  ["the data belong to another account, and this is root", { ...MINE, account: 0 }, "warning"],
  ["the data are on another machine", { ...MINE, keeper: undefined }, "warning"],
  ["accounts have no number", { account: undefined, keeper: undefined, passkeys: 0 }, "warning"],
])("judges whether a person and an agent are told apart: %s", (_what, known, level) => {
  expect(toldApart(known, "http://localhost:4747")).toMatchObject({ level });
});

it("says what to do, and how to learn more", () => {
  expect(toldApart(MINE, "http://localhost:4747").advice).toMatch(/http:\/\/localhost:4747\/settings\/security/);
  expect(toldApart({ ...MINE, passkeys: undefined }, "http://localhost:4747").advice).toContain("countersign login");
});
