import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type Gate, type People, type Person } from "../../src/index.js";
import { definePolicy, gatePolicy, type Policy, type Rule, watchPolicy } from "../../src/policy/index.js";
import { ANN, BOB, codeOf, newGate, pendingId, recorded, submit } from "./support.js";

const EVE: Person = { kind: "person", userId: "eve", workspaceId: "home", roles: ["owner"] };
/** Runs elsewhere, so that time passes between the yes and the claim. */
const REMOTE = defineTool({ name: "notes.add", riskTier: "R3", inputSchema: z.object({ id: z.string() }) });

function policyOf(rule: Partial<Rule>): Policy {
  return definePolicy({ version: 1, rules: [{ id: "rule", when: 'app == "notes"', effect: "confirm", ...rule }] });
}

const ASKS = policyOf({});
const DENIES = policyOf({ effect: "deny", reason: "No more notes." });
const ALLOWS = policyOf({ effect: "allow" });

/** A gate whose policy can be exchanged, and a call that was approved under the first one. */
async function approvedUnder(first: Policy, voters: readonly Person[] = [ANN], people?: People) {
  const rules = { inForce: first };
  const gate = newGate({
    tools: [REMOTE],
    ...gatePolicy(() => rules.inForce),
    ...(people === undefined ? {} : { people }),
  });
  const approvalId = pendingId(await submit(gate, "x"));
  for (const person of voters) await gate.decide({ approvalId, decision: "approve" }, person);
  return { gate, rules, claim: await claimOf(gate, approvalId) };
}

async function claimOf(gate: Gate, approvalId: string): Promise<() => Promise<string>> {
  const outcome = await gate.resume(approvalId);
  if (outcome.type !== "pending" || outcome.token === undefined) throw new Error("expected a token");
  const { tokenId } = outcome.token;
  return async () => codeOf(gate.claim({ approvalId, tokenId }));
}

describe("a policy that changes between the yes and the claim", () => {
  it("fault R26: refuses the claim when it denies now, and leaves it unspent: loosened again, it runs", async () => {
    const { rules, claim } = await approvedUnder(ASKS);
    rules.inForce = DENIES;
    expect(await claim()).toBe("policy_denied");
    rules.inForce = ALLOWS;
    expect(await claim()).toBe("no error");
    expect(await claim()).toBe("already_claimed");
  });

  it("lets a call run that was approved under the same rules, loaded anew", async () => {
    const { rules, claim } = await approvedUnder(ASKS);
    rules.inForce = policyOf({});
    expect(rules.inForce.version).toBe(ASKS.version);
    expect(await claim()).toBe("no error");
  });

  it("judges an allowed call again that was not claimed yet", async () => {
    const rules = { inForce: ALLOWS };
    const gate = newGate({ tools: [REMOTE], ...gatePolicy(() => rules.inForce) });
    const claim = await claimOf(gate, pendingId(await submit(gate, "x")));
    rules.inForce = ASKS;
    expect(await claim()).toBe("policy_denied");
    rules.inForce = ALLOWS;
    expect(await claim()).toBe("no error");
  });

  it("starts nothing here that was approved before and is denied at the moment of the last yes", async () => {
    const rules = { inForce: policyOf({ approvers: { count: 2 } }) };
    const { tool, runs } = recorded("R3");
    const gate = newGate({ tools: [tool], ...gatePolicy(() => rules.inForce) });
    const approvalId = pendingId(await submit(gate, "x"));
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    rules.inForce = DENIES;
    await gate.decide({ approvalId, decision: "approve" }, BOB).catch(() => undefined);
    await gate.sweep();
    expect(runs).toEqual([]);
  });

  it("follows a watched file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-"));
    const file = join(folder, "countersign.policy.yaml");
    const write = (effect: string) =>
      writeFileSync(file, `version: 1\nrules: [{ id: notes, when: 'app == "notes"', effect: ${effect} }]\n`);
    write("confirm");
    const watched = watchPolicy(file, () => {});
    try {
      const gate = newGate({ tools: [REMOTE], ...gatePolicy(watched.current) });
      const approvalId = pendingId(await submit(gate, "x"));
      await gate.decide({ approvalId, decision: "approve" }, ANN);
      const claim = await claimOf(gate, approvalId);
      write("deny");
      watched.reload();
      expect(await claim()).toBe("policy_denied");
      write("nonsense");
      watched.reload();
      expect(await claim()).toBe("policy_denied");
      write("confirm");
      watched.reload();
      expect(await claim()).toBe("no error");
    } finally {
      watched.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("approvers that a policy asks for at the claim", () => {
  const of = (approvers: Rule["approvers"]) => policyOf(approvers === undefined ? {} : { approvers });

  it.each<[string, Rule["approvers"], Person, Rule["approvers"], string]>([
    ["another person than the one who approved", undefined, ANN, { persons: ["bob"] }, "policy_denied"],
    ["the person who approved", undefined, ANN, { persons: ["ann"] }, "no error"],
    ["a role in which nobody is known to have approved", undefined, BOB, { roles: ["owner"] }, "policy_denied"],
    ["the role that let the approver in", { roles: ["approver"] }, BOB, { roles: ["approver"] }, "no error"],
    ["that role and another", { roles: ["approver"] }, BOB, { roles: ["owner", "approver"] }, "no error"],
    ["a group instead of that role", { roles: ["approver"] }, BOB, { groups: ["approver"] }, "policy_denied"],
    ["somebody other than the requester", undefined, ANN, { notRequester: true }, "policy_denied"],
    ["more people", undefined, ANN, { count: 2 }, "policy_denied"],
    ["nobody in particular any more", { persons: ["bob"] }, BOB, undefined, "no error"],
  ])("invariant I10: %s", async (_title, before, voter, after, code) => {
    const { rules, claim } = await approvedUnder(of(before), [voter]);
    rules.inForce = definePolicy({ version: 1, rules: [...of(after).rules, UNRELATED] });
    expect(await claim()).toBe(code);
  });

  it("invariant I10: with a directory each vote counts by the roles its person has", async () => {
    const roles = new Map([
      ["ann", ["member"]],
      ["bob", ["approver"]],
      ["eve", ["owner"]],
    ]);
    const people: People = {
      member: async (_workspaceId, userId) => {
        const own = roles.get(userId);
        return own && { roles: own, groups: [] };
      },
      reachable: async () => true,
    };
    const { rules, claim } = await approvedUnder(of({ count: 2 }), [BOB, EVE], people);
    rules.inForce = of({ count: 2, roles: ["owner"] });
    expect(await claim()).toBe("policy_denied");
    rules.inForce = of({ roles: ["owner"] });
    expect(await claim()).toBe("no error");
  });
});

/** Makes a policy another one without a word about the call. */
const UNRELATED: Rule = { id: "unrelated", when: 'tool == "other.tool"', effect: "deny" };
