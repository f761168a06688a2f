import fc from "fast-check";
import { expect, it } from "vitest";
import { packType, unpackType } from "./entry-types.js";

it("gives every type back as it was, and takes a digit for those that every call leaves behind", () => {
  expect(["approval.created", "call.executed"].map(packType)).toEqual(["0", "4"]);
  for (const type of [
    "approval.created",
    "call.executed",
    "grant.created",
    "7",
    "9",
    "=",
    "=7",
    "==",
    "77",
    " ",
    "\t",
    "",
  ]) {
    expect(unpackType(packType(type))).toBe(type);
  }
  fc.assert(fc.property(fc.string(), (type) => unpackType(packType(type)) === type));
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (packType(a) === packType(b)) === (a === b)));
});

it("reads rows from before there were digits", () => {
  expect(unpackType("approval.created")).toBe("approval.created");
});
