import { describe, expect, it } from "vitest";
import { enrol, firstOwner, invite, openWorld, PROOF_URL, TestDevice, tempFile } from "../../../test/identity/world.js";
import type { IdentityEvent } from "./events.js";
import { MIGRATIONS } from "./schema.js";

describe("events (invariant I7)", () => {
  it("come with the change, in order, with who did it and where", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "approver", "Ann");
    await world.identity.members.remove(owner, ann.userId);
    expect(world.events.map(({ type }) => type)).toEqual([
      "workspace.created",
      "link.created",
      "session.started",
      "invitation.created",
      "member.joined",
      "session.started",
      "member.confirmed",
      "member.removed",
    ]);
    expect(world.events.at(-1)).toMatchObject({
      workspaceId: owner.workspaceId,
      by: owner.userId,
      content: { userId: ann.userId },
      tightens: true,
    });
    expect(new Set(world.events.map(({ eventId }) => eventId)).size).toBe(world.events.length);
  });

  it("wait while the audit log does not take them, and are handed over later, after a restart too", async () => {
    const path = tempFile();
    const broken = await openWorld({
      path,
      audit: () => {
        throw new Error("disk full");
      },
    });
    const owner = await firstOwner(broken);
    expect(broken.notices).toContainEqual(["identity.audit_failed", { why: "disk full" }]);
    const taken: IdentityEvent[] = [];
    const restarted = await openWorld({ path, audit: (event) => void taken.push(event) });
    await restarted.identity.flush();
    expect(taken.map(({ type }) => type)).toEqual(["workspace.created", "link.created", "session.started"]);
    expect(taken[0]).toMatchObject({ workspaceId: owner.workspaceId, by: "host" });
    await restarted.identity.flush();
    expect(taken).toHaveLength(3);
  });

  it("do not exist for a change that was refused", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const before = world.events.length;
    await expect(world.identity.members.remove(owner, owner.userId)).rejects.toMatchObject({ code: "last_owner" });
    await world.identity.flush();
    expect(world.events).toHaveLength(before);
  });

  it("reach every workspace a person is in when they concern the person", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const second = await world.identity.persons.createWorkspace(owner.session, "Second");
    await enrol(world, owner);
    const told = world.events.filter(({ type }) => type === "passkey.added").map(({ workspaceId }) => workspaceId);
    expect(told.toSorted()).toEqual([owner.workspaceId, second].toSorted());
  });
});

describe("secrets (attack F8)", () => {
  it("stand in no event, no notice, no error, no list and no table", async () => {
    const world = await openWorld();
    const { identity, clock, database } = world;
    const first = await identity.persons.createFirstOwner();
    const started = await identity.signInLinks.redeem(first?.link.token);
    const owner = await identity.sessions.enter(started.session, first?.workspaceId ?? "");
    if (owner === undefined) throw new Error("no owner");
    const invitation = await identity.invitations.create(owner, "member");
    const joined = await identity.invitations.acceptAsNew(invitation.token, { name: "Ann" });
    const key = await identity.agents.create(owner, { name: "bot", scopes: ["email.send"] });
    const rotated = await identity.apiKeys.rotate(owner, key.keyId);
    const device = new TestDevice();
    const exchange = () =>
      identity.devices.exchange(key.apiKey, device.proof(key.apiKey, clock.now()), { method: "POST", url: PROOF_URL });
    const asked = await exchange();
    await identity.devices.approve(owner, asked.type === "pending" ? asked.deviceId : "");
    const bound = await exchange();
    const cli = await identity.cliSignIns.begin("cli");
    await identity.cliSignIns.decide(owner.session, cli.userCode, "approve");
    const { person } = await enrol(world, owner);

    const errors = await Promise.allSettled([
      identity.signInLinks.redeem(first?.link.token),
      identity.invitations.acceptAsNew(invitation.token, { name: "B" }),
      identity.agentAccess.find(key.apiKey),
      identity.devices.exchange(key.apiKey, "x.y.z", { method: "POST", url: PROOF_URL }),
      identity.cliSignIns.look(owner.session, cli.userCode),
    ]);
    expect(errors.every(({ status }) => status === "rejected")).toBe(true);
    await identity.apiKeys.revoke(owner, key.keyId);
    await identity.agentAccess.find(key.apiKey);
    await identity.flush();

    const tables = [
      ...MIGRATIONS.flatMap(({ statements }) => statements)
        .join("\n")
        .matchAll(/CREATE TABLE (\w+)/g),
    ].map(([, name]) => name);
    expect(tables.length).toBeGreaterThan(10);
    const rows = await Promise.all(tables.map((name) => database.all(`SELECT * FROM ${name}`)));
    const written = JSON.stringify([
      world.events,
      world.notices,
      rows,
      errors.map((result) => result.status === "rejected" && String((result.reason as Error).stack)),
      await identity.agents.list(owner),
      await identity.apiKeys.list(owner, key.agentId),
      await identity.sessions.list(owner.session),
      await identity.members.list(owner),
      await identity.devices.list(owner),
    ]);
    const secrets = [
      first?.link.token,
      started.token,
      invitation.token,
      joined.token,
      key.apiKey,
      rotated.apiKey,
      bound.type === "bound" ? bound.token : undefined,
      cli.deviceCode,
      cli.userCode,
      cli.userCode.replace("-", ""),
      person.token,
    ];
    expect(written.length).toBeGreaterThan(10_000);
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThanOrEqual(8);
      expect(written).not.toContain(secret);
    }
    expect(written).not.toMatch(/csk_live_[0-9A-Za-z]{5}/);
    expect(written).not.toMatch(/cs[lisdc]_[0-9A-Za-z_-]{20}/);
  });
});
