import { expect, it } from "vitest";
import { type Apart, toldApart } from "./doctor.js";

const MINE = { account: 1000, keeper: 1000, passkeys: 0 };

it.each<[string, Apart, boolean]>([
  ["everything is under one account, without a passkey", MINE, false],
  ["nobody is signed in, so that passkeys are not known", { ...MINE, passkeys: undefined }, false],
  ["there is a passkey", { ...MINE, passkeys: 1 }, true],
  ["the data belong to another account", { ...MINE, keeper: 999 }, true],
  ["the data belong to another account, and this is root", { ...MINE, account: 0 }, false],
  ["the data are on another machine", { ...MINE, keeper: undefined }, false],
  ["accounts have no number", { account: undefined, keeper: undefined, passkeys: 0 }, false],
])("judges whether a person and an agent are told apart: %s", (_what, known, ok) => {
  expect(toldApart(known, "http://localhost:4747")).toMatchObject({ ok });
});

it("says what to do, and how to learn more", () => {
  expect(toldApart(MINE, "http://localhost:4747").advice).toMatch(/http:\/\/localhost:4747\/settings\/security/);
  expect(toldApart({ ...MINE, passkeys: undefined }, "http://localhost:4747").advice).toContain("countersign login");
});
