import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, enrol, firstOwner, HOUR, invite, openWorld, tempFile, type World } from "../../../test/identity/world.js";
import type { NewAgent } from "./agents.js";
import { API_KEY_PATTERN, isApiKey, newApiKey } from "./key-format.js";
import type { PersonPrincipal } from "./principal.js";

const anywhere: NewAgent = { name: "mailer", scopes: ["email.*"], devices: "none" };

async function withKey(wanted: Partial<NewAgent> = {}) {
  const world = await openWorld();
  const owner = await firstOwner(world);
  const key = await world.identity.agents.create(owner, { ...anywhere, ...wanted });
  return { ...world, world, owner, key };
}

describe("the form of an API key", () => {
  it("has a prefix scanners know, 40 random characters and a checksum, and is never the same", () => {
    const keys = Array.from({ length: 500 }, newApiKey);
    expect(new Set(keys).size).toBe(500);
    for (const key of keys) {
      expect(key).toMatch(new RegExp(`^${API_KEY_PATTERN.source}$`));
      expect(key).toHaveLength(55);
      expect(isApiKey(key)).toBe(true);
    }
  });

  it("shows any single wrong character by its checksum (attack F9)", () => {
    const key = newApiKey();
    fc.assert(
      fc.property(fc.integer({ min: 9, max: 54 }), fc.stringMatching(/^[0-9A-Za-z]$/), (at, letter) => {
        const typo = key.slice(0, at) + letter + key.slice(at + 1);
        expect(isApiKey(typo)).toBe(typo === key);
      }),
    );
  });

  it.each([undefined, null, 7, "", "csk_live_", `csk_live_${"a".repeat(46)}`, ` ${newApiKey()}`, `${newApiKey()}\n`])(
    "is not %j",
    (text) => {
      expect(isApiKey(text)).toBe(false);
    },
  );
});

describe("a key", () => {
  it("is shown once, kept as a hash, and finds its agent", async () => {
    const { identity, owner, key, database } = await withKey();
    expect(await identity.agentAccess.find(key.apiKey)).toEqual({
      kind: "agent",
      agentId: key.agentId,
      keyId: key.keyId,
      workspaceId: owner.workspaceId,
      ownerId: owner.userId,
      keyKind: "agent",
      scopes: ["email.*"],
    });
    const rows = await database.all("SELECT * FROM identity_key");
    expect(JSON.stringify(rows)).not.toContain(key.apiKey);
    expect(await identity.apiKeys.list(owner, key.agentId)).toMatchObject([
      { hint: `${key.apiKey.slice(0, 13)}…${key.apiKey.slice(-4)}` },
    ]);
  });

  it("is refused alike when unknown, expired, revoked, or of a revoked agent", async () => {
    const { world, identity, owner, key, clock } = await withKey({ keyLives: HOUR });
    expect(await identity.agentAccess.find(newApiKey())).toBeUndefined();
    clock.pass(HOUR - 1);
    expect(await identity.agentAccess.find(key.apiKey)).toMatchObject({ keyId: key.keyId });
    clock.pass(1);
    expect(await identity.agentAccess.find(key.apiKey)).toBeUndefined();
    const second = await identity.agents.create(owner, anywhere);
    await identity.apiKeys.revoke(owner, second.keyId);
    expect(await identity.agentAccess.find(second.apiKey)).toBeUndefined();
    const third = await identity.agents.create(owner, anywhere);
    await identity.agents.revoke(owner, third.agentId);
    expect(await identity.agentAccess.find(third.apiKey)).toBeUndefined();
    await identity.flush();
    const reasons = world.events
      .filter(({ type }) => type === "key.refused")
      .map(({ content }) => JSON.stringify(content["reason"]));
    expect(reasons.toSorted()).toEqual(['"agent revoked"', '"key expired"', '"key revoked"']);
  });

  it("is revoked on every instance at once: the row is kept, nothing is cached", async () => {
    const path = tempFile();
    const [here, there] = [await openWorld({ path }), await openWorld({ path })];
    const owner = await firstOwner(here);
    const key = await here.identity.agents.create(owner, anywhere);
    expect(await there.identity.agentAccess.find(key.apiKey)).toMatchObject({ keyId: key.keyId });
    await here.identity.apiKeys.revoke(owner, key.keyId);
    expect(await there.identity.agentAccess.find(key.apiKey)).toBeUndefined();
    expect(await there.database.all("SELECT id FROM identity_key WHERE revoked_at IS NOT NULL")).toHaveLength(1);
  });

  it.each<[string, (world: World, owner: PersonPrincipal, ann: PersonPrincipal) => Promise<void>]>([
    ["removed", ({ identity }, owner, ann) => identity.members.remove(owner, ann.userId)],
    ["disabled", ({ identity }, owner, ann) => identity.persons.disable(owner, ann.userId)],
    ["made an auditor", ({ identity }, owner, ann) => identity.members.setRole(owner, ann.userId, "auditor")],
  ])("dies when its owner is %s (attack D6)", async (_, end) => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    const key = await world.identity.agents.create(ann, anywhere);
    expect(await world.identity.agentAccess.find(key.apiKey)).toMatchObject({ ownerId: ann.userId });
    await end(world, owner, ann);
    expect(await world.identity.agentAccess.find(key.apiKey)).toBeUndefined();
  });

  it("counts its use in memory and writes it down at the flush, with the first use told once", async () => {
    const { identity, owner, key, clock, events } = await withKey();
    for (let i = 0; i < 5; i++) await identity.agentAccess.find(key.apiKey);
    expect(await identity.apiKeys.list(owner, key.agentId)).toMatchObject([{ useCount: 0 }]);
    await identity.flush();
    await identity.agentAccess.find(key.apiKey);
    await identity.flush();
    expect(await identity.apiKeys.list(owner, key.agentId)).toMatchObject([{ useCount: 6, lastUsedAt: clock.now() }]);
    expect(events.filter(({ type }) => type === "key.first_used")).toHaveLength(1);
  });

  it("that is tried again and again fills no log: one event a minute, with the count", async () => {
    const { identity, owner, key, clock, events } = await withKey();
    await identity.apiKeys.revoke(owner, key.keyId);
    for (let i = 0; i < 50; i++) {
      await identity.agentAccess.find(key.apiKey);
      await identity.flush();
    }
    clock.pass(HOUR);
    await identity.flush();
    const told = events.filter(({ type }) => type === "key.refused").map(({ content }) => content["times"]);
    expect(told).toEqual([1, 49]);
  });
});

describe("rotation", () => {
  it("lets both keys work during the overlap and ends it on time; agent, scopes and devices stay", async () => {
    const { identity, owner, key, clock } = await withKey();
    const next = await identity.apiKeys.rotate(owner, key.keyId);
    expect(next.agentId).toBe(key.agentId);
    expect(await identity.agentAccess.find(key.apiKey)).toMatchObject({ retiresAt: clock.now() + DAY });
    expect(await identity.agentAccess.find(next.apiKey)).not.toHaveProperty("retiresAt");
    clock.pass(DAY);
    expect(await identity.agentAccess.find(key.apiKey)).toBeUndefined();
    expect(await identity.agentAccess.find(next.apiKey)).toMatchObject({ scopes: ["email.*"] });
  });

  it("never lengthens the old key's life, and happens once: of two at the same time one wins", async () => {
    const { identity, owner, key, clock } = await withKey({ keyLives: HOUR });
    const tries = await Promise.allSettled([
      identity.apiKeys.rotate(owner, key.keyId, { overlap: 7 * DAY }),
      identity.apiKeys.rotate(owner, key.keyId),
    ]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await identity.apiKeys.list(owner, key.agentId)).toHaveLength(2);
    clock.pass(HOUR);
    expect(await identity.agentAccess.find(key.apiKey)).toBeUndefined();
  });
});

describe("who may do what with keys (invariant I11)", () => {
  it("is the agent's owner; an owner of the workspace may end them; a stranger finds nothing", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    const bob = await invite(world, owner, "approver", "Bob");
    const auditor = await invite(world, owner, "auditor", "Aud");
    const key = await identity.agents.create(ann, anywhere);
    const absent = { code: "not_found" };
    await expect(identity.apiKeys.rotate(bob, key.keyId)).rejects.toMatchObject(absent);
    await expect(identity.apiKeys.rotate(owner, key.keyId)).rejects.toMatchObject(absent);
    await expect(identity.apiKeys.revoke(bob, key.keyId)).rejects.toMatchObject(absent);
    await expect(identity.agents.setScopes(owner, key.agentId, ["pay.*"])).rejects.toMatchObject(absent);
    await expect(identity.agents.create(auditor, anywhere)).rejects.toMatchObject({ code: "not_permitted" });
    expect(await identity.agents.list(bob)).toEqual([]);
    expect(await identity.apiKeys.list(bob, key.agentId)).toEqual([]);
    expect(await identity.agents.list(owner)).toHaveLength(1);
    const elsewhere = await identity.persons.createWorkspace(owner.session, "Other");
    await expect(identity.apiKeys.revoke({ ...owner, workspaceId: elsewhere }, key.keyId)).rejects.toMatchObject(
      absent,
    );
    await identity.apiKeys.revoke(owner, key.keyId);
  });

  it("gives an automation key R2 unless told otherwise and never more than R3, an agent no ceiling at all", async () => {
    const { identity, owner } = await withKey();
    const make = (wanted: Partial<NewAgent>) => identity.agents.create(owner, { ...anywhere, ...wanted });
    const plain = await make({ kind: "automation" });
    expect(await identity.agentAccess.find(plain.apiKey)).toMatchObject({ keyKind: "automation", ceiling: "R2" });
    const raised = await make({ kind: "automation", ceiling: "R3" });
    expect(await identity.agentAccess.find(raised.apiKey)).toMatchObject({ ceiling: "R3" });
    const wrong = { code: "invalid_request" };
    await expect(make({ kind: "automation", ceiling: "R4" })).rejects.toMatchObject(wrong);
    await expect(make({ ceiling: "R1" })).rejects.toMatchObject(wrong);
    await expect(make({ kind: "god" as never })).rejects.toMatchObject(wrong);
    await expect(make({ devices: "any" as never })).rejects.toMatchObject(wrong);
    await expect(make({ keyLives: 400 * DAY })).rejects.toMatchObject(wrong);
    await expect(make({ name: "a\u202eb" })).rejects.toMatchObject(wrong);
  });

  it("takes scopes from the record only, and widening an automation needs a fresh passkey (attack D4)", async () => {
    const { world, identity, owner, clock } = await withKey();
    const { person } = await enrol(world, owner);
    const bot = await identity.agents.create(person, { ...anywhere, kind: "automation" });
    clock.pass(HOUR);
    await expect(identity.agents.setScopes(person, bot.agentId, ["email.*", "pay.*"])).rejects.toMatchObject({
      code: "fresh_passkey_required",
    });
    await identity.agents.setScopes(person, bot.agentId, []);
    expect(await identity.agentAccess.find(bot.apiKey)).toMatchObject({ scopes: [] });
  });
});
