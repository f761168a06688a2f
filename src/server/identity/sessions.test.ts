import { describe, expect, it } from "vitest";
import { enrol, firstOwner, HOUR, invite, MINUTE, openWorld, SECOND } from "../../../test/identity/world.js";
import { type AgentPrincipal, callerOf, decidesUpTo, may, personOf } from "./principal.js";

describe("a session", () => {
  it("idles out after eight hours, and lives as long as it is used", async () => {
    const world = await openWorld();
    const { token, session } = await firstOwner(world);
    world.clock.pass(8 * HOUR - SECOND);
    expect(await world.identity.sessions.find(token)).toEqual(session);
    await world.identity.flush();
    world.clock.pass(8 * HOUR - SECOND);
    expect(await world.identity.sessions.find(token)).toEqual(session);
    world.clock.pass(8 * HOUR);
    expect(await world.identity.sessions.find(token)).toBeUndefined();
  });

  it("ends after seven days however much it is used", async () => {
    const world = await openWorld();
    const { token, session } = await firstOwner(world);
    for (let hours = 0; hours < 7 * 24 - 4; hours += 4) {
      world.clock.pass(4 * HOUR);
      expect(await world.identity.sessions.find(token)).toEqual(session);
      await world.identity.flush();
    }
    world.clock.pass(4 * HOUR);
    expect(await world.identity.sessions.find(token)).toBeUndefined();
  });

  it("is marked as seen at most once a minute", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const seen = async () => {
      await world.identity.flush();
      return (await world.identity.sessions.list(owner.session))[0]?.lastSeenAt;
    };
    const start = await seen();
    world.clock.pass(59 * SECOND);
    await world.identity.sessions.find(owner.token);
    expect(await seen()).toBe(start);
    world.clock.pass(SECOND);
    await world.identity.sessions.find(owner.token);
    expect(await seen()).toBe(world.clock.now());
  });

  it("is listed and revoked by its own person only, at once", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const link = await identity.signInLinks.create(owner.userId);
    const other = await identity.signInLinks.redeem(link.token);
    const ann = await invite(world, owner, "member");
    await expect(identity.sessions.revoke(ann.session, other.session.sessionId)).rejects.toMatchObject({
      code: "not_found",
    });
    const listed = await identity.sessions.list(owner.session);
    expect(listed.map(({ current }) => current)).toEqual([true, false]);
    await identity.sessions.revoke(owner.session, other.session.sessionId);
    expect(await identity.sessions.find(other.token)).toBeUndefined();
    expect(await identity.sessions.find(owner.token)).toEqual(owner.session);
  });

  it("goes on under a new token after elevation; the old one is dead", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const { person } = await enrol(world, owner);
    expect(person.session.sessionId).toBe(owner.session.sessionId);
    expect(await world.identity.sessions.find(owner.token)).toBeUndefined();
    expect(await world.identity.sessions.find(person.token)).toMatchObject({
      amr: "passkey",
      strongAuthAt: world.clock.now(),
    });
  });

  it.each([undefined, null, 5, "", "css_guess", "x".repeat(1_000)])("is not found by %j", async (token) => {
    const { identity } = await openWorld();
    expect(await identity.sessions.find(token)).toBeUndefined();
  });
});

describe("what is fresh", () => {
  it("is any browser session while its person has no passkey, and never a terminal's", async () => {
    const world = await openWorld();
    const { session } = await firstOwner(world);
    await expect(world.identity.requireFresh(session, "policy.changed")).resolves.toBeUndefined();
    await expect(world.identity.requireFresh({ ...session, kind: "cli" }, "policy.changed")).rejects.toMatchObject({
      code: "fresh_passkey_required",
    });
  });

  it("needs a passkey shown within five minutes once one is enrolled, whatever the request says", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const link = await world.identity.signInLinks.create(owner.userId);
    const other = await world.identity.signInLinks.redeem(link.token);
    const { person } = await enrol(world, owner);
    await expect(world.identity.requireFresh(person.session, "grant.created")).resolves.toBeUndefined();
    const forged = { ...other.session, strongAuthAt: world.clock.now() };
    await expect(world.identity.requireFresh(forged, "grant.created")).rejects.toMatchObject({
      code: "fresh_passkey_required",
    });
    world.clock.pass(5 * MINUTE + 1);
    await expect(world.identity.requireFresh(person.session, "grant.created")).rejects.toMatchObject({
      code: "fresh_passkey_required",
    });
  });

  it("is asked for by every weakening in here, and by no tightening", async () => {
    const world = await openWorld();
    const { identity } = world;
    const first = await firstOwner(world);
    const ann = await invite(world, first, "member", "Ann");
    const bob = await invite(world, first, "approver", "Bob");
    const { person: owner } = await enrol(world, first);
    await identity.groups.create(owner, "finance");
    const { token } = await identity.invitations.create(owner, "approver");
    const joined = await identity.invitations.acceptAsNew(token, { name: "Cid" });
    world.clock.pass(HOUR);
    const [passkey] = await identity.passkeys.list(owner.session);
    const agent = { name: "bot", scopes: ["email.send"] };
    const weakenings = {
      "raising a role": () => identity.members.setRole(owner, ann.userId, "approver"),
      "confirming a role": () => identity.members.confirm(owner, joined.userId),
      "adding to a group": () => identity.groups.add(owner, "finance", ann.userId),
      "recovering a person": () => identity.persons.recover(owner, ann.userId),
      "a further passkey": () => identity.passkeys.beginRegistration(owner.session),
      "removing the last passkey": () => identity.passkeys.remove(owner.session, passkey?.passkeyId ?? ""),
      "an automation key": () => identity.agents.create(owner, { ...agent, kind: "automation" }),
      "a key without devices": () => identity.agents.create(owner, { ...agent, devices: "none" }),
    };
    for (const [what, act] of Object.entries(weakenings)) {
      await expect(act(), what).rejects.toMatchObject({ code: "fresh_passkey_required" });
    }
    await identity.members.setRole(owner, bob.userId, "member");
    await identity.members.remove(owner, bob.userId);
    await identity.persons.disable(owner, ann.userId);
    await identity.agents.create(owner, agent);
  });
});

describe("principals (attack D3)", () => {
  const agent: AgentPrincipal = {
    kind: "agent",
    agentId: "agt_1",
    keyId: "key_1",
    workspaceId: "wsp_1",
    ownerId: "usr_1",
    keyKind: "automation",
    ceiling: "R3",
    scopes: ["approval.decide", "approval.*"],
  };

  it("are two kinds: an agent is no person, by type and at run time, whatever its scopes are called", () => {
    // @ts-expect-error an agent cannot be passed where a person is needed
    expect(() => personOf(agent)).toThrow(expect.objectContaining({ code: "not_permitted" }));
    expect(callerOf(agent)).toEqual({
      userId: "usr_1",
      workspaceId: "wsp_1",
      sessionId: "key_1",
      agentId: "agt_1",
      surface: "rest",
    });
  });

  it("give an auditor no decision, a link session less assurance than a passkey, and a terminal R2 at most", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    expect(personOf(owner)).toMatchObject({ assurance: "link", roles: ["owner"] });
    expect(decidesUpTo(owner)).toBe("R4");
    expect(decidesUpTo({ ...owner, session: { ...owner.session, kind: "cli" } })).toBe("R2");
    const auditor = await invite(world, owner, "auditor", "Aud");
    expect(may(auditor, "audit.read")).toBe(true);
    expect(() => personOf(auditor)).toThrow(expect.objectContaining({ code: "not_permitted" }));
    const { person } = await enrol(world, owner);
    expect(personOf(person)).toMatchObject({ assurance: "passkey" });
  });
});
