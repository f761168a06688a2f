import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  checkPolicy,
  definePolicy,
  formatPolicyTest,
  loadPolicy,
  loadPolicyTest,
  type PolicyDefinition,
  testPolicy,
} from "./index.js";
import { plain } from "./located.js";
import { locateYaml } from "./yaml.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = join(ROOT, "policies");
const starters = readdirSync(FOLDER).filter((file) => file.endsWith(".policy.yaml"));
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

describe("the starter policies", () => {
  it("are five", () => {
    const names = starters.map((file) => file.replace(".policy.yaml", ""));
    expect(names).toEqual(["coding-agent", "database", "family", "payments", "personal"]);
  });

  it.each(starters)("%s passes its test table, which touches every rule", (file) => {
    const table = loadPolicyTest(join(FOLDER, file.replace(".policy.yaml", ".policy-test.yaml")));
    const result = testPolicy(loadPolicy(join(FOLDER, file)), table);
    expect(result.passed, formatPolicyTest(result)).toBe(true);
    expect(result.untested).toEqual([]);
  });

  it.each(starters)("%s gives no warning", (file) => {
    expect(checkPolicy(read(file), file)).toMatchObject({ problems: [], warnings: [] });
  });

  it.each(starters)("%s has the same version as the same rules written in code", (file) => {
    const definition = plain(locateYaml(read(file), file)) as PolicyDefinition;
    expect(definePolicy(definition).version).toBe(loadPolicy(join(FOLDER, file)).version);
  });
});

describe("the JSON Schema for editors", () => {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(join(ROOT, "schemas", "policy.schema.json"), "utf8")));
  const rule = { id: "a", when: true, effect: "confirm" };
  const policyWith = (change: object) => ({ version: 1, rules: [{ ...rule, ...change }] });
  const loads = (definition: unknown) => {
    try {
      definePolicy(definition as PolicyDefinition);
      return true;
    } catch {
      return false;
    }
  };

  it.each(starters)("accepts %s", (file) => {
    expect(schema.safeParse(plain(locateYaml(read(file), file))).error).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["a whole rule", policyWith({ always: true, reason: "x", raise: "R3", ttl: "5m", stepUp: "passkey" })],
    [
      "approvers",
      policyWith({ approvers: { count: 2, roles: ["a"], groups: ["b"], persons: ["c"], notRequester: true } }),
    ],
    ["a budget", policyWith({ budget: { limit: 1, per: "user", of: "rows", window: 1000 } })],
    [
      "defaults",
      {
        version: 1,
        rules: [rule],
        defaults: { ttl: 1, timezone: "UTC", scope: { paths: ["a"] }, thresholds: { rows: 1 } },
      },
    ],
    ["another version", { version: 2, rules: [rule] }],
    ["no version", { rules: [rule] }],
    ["no rules", { version: 1, rules: [] }],
    ["an unknown key at the top", { version: 1, rules: [rule], rule: [] }],
    ["an unknown key in a rule", policyWith({ efect: "deny" })],
    ["an unknown key in defaults", { version: 1, rules: [rule], defaults: { ttll: 1 } }],
    ["an unknown key in approvers", policyWith({ approvers: { role: ["a"] } })],
    ["an unknown effect", policyWith({ effect: "ask" })],
    ["an unknown tier", policyWith({ raise: "R5" })],
    ["a raise that raises nothing", policyWith({ raise: "R0" })],
    ["an id with blanks", policyWith({ id: "a b" })],
    ["an empty condition", policyWith({ when: " " })],
    ["a condition that is false", policyWith({ when: false })],
    ["a duration in words", policyWith({ ttl: "5 minutes" })],
    ["a duration of nothing", policyWith({ ttl: 0 })],
    ["an empty list of roles", policyWith({ approvers: { roles: [] } })],
    ["half an approver", policyWith({ approvers: { count: 1.5 } })],
    ["a budget without its owner", policyWith({ budget: { limit: 1 } })],
    ["a budget of nothing", policyWith({ budget: { limit: 0, per: "session" } })],
    ["an unknown proof", policyWith({ stepUp: "password" })],
    ["a text for a flag", policyWith({ always: "yes" })],
  ])("says of %s what loading says", (_, definition) => {
    expect(schema.safeParse(definition).success).toBe(loads(definition));
  });
});
