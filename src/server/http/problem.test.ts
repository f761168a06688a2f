import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CountersignError, ERROR_CODES } from "../../core/errors.js";
import { problemOf, STATUS } from "./problem.js";

const GUIDE = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "rest.md"), "utf8");

const ERRORS = GUIDE.slice(GUIDE.indexOf("## Errors"), GUIDE.indexOf("## Sending again"));

describe("problem documents", () => {
  it("have one status for each code, which the guide tells too", () => {
    for (const code of ERROR_CODES.filter((each) => each !== "family_mismatch")) {
      const rows = ERRORS.split("\n").filter((line) => line.startsWith(`| ${STATUS[code]} `));
      expect(rows.join(), code).toContain(`\`${code}\``);
    }
  });

  it("hide that something exists in another workspace (I11)", () => {
    const told = problemOf(new CountersignError("family_mismatch", "secret words", { approvalId: "a-1" }));
    expect(told).toEqual(problemOf(new CountersignError("not_found", "There is no such approval.")));
  });

  it("say nothing of what failed inside", () => {
    const told = problemOf(new Error("SELECT token FROM identity_session"));
    expect(JSON.stringify(told)).not.toContain("SELECT");
  });
});
