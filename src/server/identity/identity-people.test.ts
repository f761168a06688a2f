import { describe, expect, it } from "vitest";
import { z } from "zod";
import { enrol, firstOwner, invite, openWorld, type World } from "../../../test/identity/world.js";
import type { AudienceQuery } from "../../core/ports.js";
import { defineTool } from "../../core/tool.js";
import { createGate } from "../../create-gate.js";
import { memoryStore } from "../../stores/memory.js";
import { identityPeople } from "./identity-people.js";
import { callerOf, type PersonPrincipal, personOf } from "./principal.js";

const nobody: AudienceQuery = { persons: [], roles: [], groups: [], quorum: 1, barred: [] };

describe("the gate's directory", () => {
  it("knows live members with role and groups, and nobody else", async () => {
    const world = await openWorld();
    const people = identityPeople(world.identity);
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "approver", "Ann");
    await world.identity.groups.create(owner, "finance");
    await world.identity.groups.add(owner, "finance", ann.userId);
    expect(await people.member(owner.workspaceId, ann.userId)).toEqual({ roles: ["approver"], groups: ["finance"] });
    expect(await people.member("wsp_other", ann.userId)).toBeUndefined();
    await world.identity.persons.disable(owner, ann.userId);
    expect(await people.member(owner.workspaceId, ann.userId)).toBeUndefined();
  });

  it("counts different persons: one in two groups is one, the barred and auditors are none (attack D5)", async () => {
    const world = await openWorld();
    const people = identityPeople(world.identity);
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "approver", "Ann");
    const auditor = await invite(world, owner, "auditor", "Aud");
    for (const group of ["finance", "on-call"]) {
      await world.identity.groups.create(owner, group);
      await world.identity.groups.add(owner, group, ann.userId);
    }
    const reachable = (audience: Partial<AudienceQuery>) =>
      people.reachable(owner.workspaceId, { ...nobody, ...audience });
    expect(await reachable({ groups: ["finance", "on-call"] })).toBe(true);
    expect(await reachable({ groups: ["finance", "on-call"], roles: ["approver"], quorum: 2 })).toBe(false);
    expect(await reachable({ groups: ["finance"], roles: ["owner"], quorum: 2 })).toBe(true);
    expect(await reachable({ groups: ["finance"], barred: [ann.userId] })).toBe(false);
    expect(await reachable({ persons: [auditor.userId], roles: ["auditor"] })).toBe(false);
    expect(await reachable({})).toBe(false);
    expect(await reachable({ quorum: 0 })).toBe(false);
  });
});

describe("a gate with this directory", () => {
  const pay = defineTool({ name: "pay.send", inputSchema: z.object({ n: z.number() }), execute: () => ({ ok: true }) });

  async function held(world: World, owner: PersonPrincipal) {
    const gate = createGate({ store: memoryStore(), tools: [pay], people: identityPeople(world.identity) });
    const key = await world.identity.agents.create(owner, { name: "bot", scopes: ["pay.send"], devices: "none" });
    const principal = await world.identity.agentAccess.find(key.apiKey);
    if (principal === undefined) throw new Error("no agent");
    const outcome = await gate.submit({ tool: "pay.send", args: { n: 1 } }, callerOf(principal));
    if (outcome.type !== "pending") throw new Error(outcome.type);
    const { approvalId, card } = outcome;
    return { gate, principal, decision: { approvalId, toolCallHash: card.toolCallHash, decision: "approve" as const } };
  }

  it("takes a passkey's answer over the very hash the card shows", async () => {
    const world = await openWorld();
    const { person, passkey } = await enrol(world, await firstOwner(world));
    const { gate, decision } = await held(world, person);
    const options = await world.identity.stepUp.begin(person, decision);
    const steppedUp = await world.identity.stepUp.finish(person, decision, passkey.assert(options));
    expect(await gate.decide(decision, steppedUp.person)).toMatchObject({ resolution: { by: person.userId } });
    await gate.close();
  });

  it("refuses who was removed since they signed in, and agents always (attacks D3, D6)", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "approver", "Ann");
    const { gate, principal, decision } = await held(world, owner);
    const remembered = personOf(ann);
    await world.identity.members.remove(owner, ann.userId);
    await expect(gate.decide(decision, remembered)).rejects.toMatchObject({ code: "user_mismatch" });
    await expect(gate.decide(decision, principal as never)).rejects.toMatchObject({ code: "user_mismatch" });
    expect(await gate.decide(decision, personOf(owner))).toMatchObject({ resolution: { by: owner.userId } });
    await gate.close();
  });
});
