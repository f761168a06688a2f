import { expect, it } from "vitest";
import { CountersignError } from "../../core/errors.js";
import { problemOf } from "./problem.js";

it("tells nobody what a store's driver said, which may name addresses", () => {
  const cause = new Error("connect ECONNREFUSED 10.0.0.7:5432");
  const { detail, code } = problemOf(new CountersignError("store_failed", `Postgres: ${cause.message}`, { cause }));
  expect(code).toBe("store_failed");
  expect(detail).not.toMatch(/10\.0\.0\.7|ECONNREFUSED/);
  expect(detail).toContain("did not answer");
});

it("tells what the gate itself says of a store that failed", () => {
  const said = "The store did not answer. Ask again with the same key to learn the outcome.";
  const error = new CountersignError("store_failed", said, { cause: new Error("socket hang up") });
  expect(problemOf(error).detail).toBe(said);
});
