import { describe, expect, it } from "vitest";
import { DAY, entered, firstOwner, invite, MINUTE, openWorld, tempFile } from "../../../test/identity/world.js";
import { linkUrl } from "./links.js";

const refusedWith = (code: string) => expect.objectContaining({ code });

describe("the first run", () => {
  it("makes one owner and one workspace, however many processes start at once", async () => {
    const path = tempFile();
    const [one, two] = [await openWorld({ path }), await openWorld({ path })];
    const made = await Promise.all([
      one.identity.persons.createFirstOwner(),
      two.identity.persons.createFirstOwner(),
      one.identity.persons.createFirstOwner(),
    ]);
    expect(made.filter((first) => first !== undefined)).toHaveLength(1);
  });

  it("keeps the token in the fragment and takes the ids a gate in this process already uses", async () => {
    const { identity } = await openWorld();
    const first = await identity.persons.createFirstOwner({ userId: "local", workspaceId: "local" });
    expect(first).toMatchObject({ userId: "local", workspaceId: "local" });
    const url = new URL(linkUrl("http://localhost:1", "sign_in", first?.link.token ?? ""));
    expect([url.pathname, url.search, url.hash]).toEqual(["/start", "", `#t=${first?.link.token}`]);
  });
});

describe("a sign-in link", () => {
  it("signs in once; of two that redeem it at the same time one wins (attack F9)", async () => {
    const { identity } = await openWorld();
    const first = await identity.persons.createFirstOwner();
    const token = first?.link.token;
    const tries = await Promise.allSettled([identity.signInLinks.redeem(token), identity.signInLinks.redeem(token)]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(identity.signInLinks.redeem(token)).rejects.toEqual(refusedWith("link_refused"));
  });

  it("ends after ten minutes, and when a newer one is made", async () => {
    const { identity, clock } = await openWorld();
    const first = await identity.persons.createFirstOwner();
    const newer = await identity.signInLinks.create(first?.userId ?? "");
    await expect(identity.signInLinks.redeem(first?.link.token)).rejects.toEqual(refusedWith("link_refused"));
    clock.pass(10 * MINUTE);
    await expect(identity.signInLinks.redeem(newer.token)).rejects.toEqual(refusedWith("link_refused"));
  });

  it("is not an invitation, nor the other way round", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const link = await world.identity.signInLinks.create(owner.userId);
    const invitation = await world.identity.invitations.create(owner, "member");
    await expect(world.identity.invitations.accept(link.token, owner.session)).rejects.toEqual(
      refusedWith("link_refused"),
    );
    await expect(world.identity.signInLinks.redeem(invitation.token)).rejects.toEqual(refusedWith("link_refused"));
  });

  it.each([undefined, "", "csl_x", 7, "x".repeat(10_000), { toString: () => "x" }])("refuses %j", async (token) => {
    const { identity } = await openWorld();
    await expect(identity.signInLinks.redeem(token)).rejects.toEqual(refusedWith("link_refused"));
  });
});

describe("an invitation", () => {
  it("gives no answering right before an owner has confirmed who came", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const { token } = await world.identity.invitations.create(owner, "approver");
    const joined = await world.identity.invitations.acceptAsNew(token, { name: "Ann", email: "ann@example.com" });
    expect(joined).toMatchObject({ role: "member", wantedRole: "approver" });
    expect(await entered(world.identity, joined, owner.workspaceId)).toMatchObject({ role: "member" });
    await expect(
      world.identity.members.confirm(await entered(world.identity, joined, owner.workspaceId), joined.userId),
    ).rejects.toEqual(refusedWith("not_permitted"));
    await world.identity.members.confirm(owner, joined.userId);
    expect(await entered(world.identity, joined, owner.workspaceId)).toMatchObject({ role: "approver" });
  });

  it("is accepted once, even by two at the same time, and the loser leaves no person behind", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const { token } = await world.identity.invitations.create(owner, "member");
    const accept = (name: string) => world.identity.invitations.acceptAsNew(token, { name });
    const tries = await Promise.allSettled([accept("A"), accept("B")]);
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await world.database.all("SELECT id FROM identity_user")).toHaveLength(2);
  });

  it("ends when it is revoked, when a week is over, and when its maker is no owner any more", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const second = await invite(world, owner, "owner", "Second");
    const revoked = await identity.invitations.create(owner, "member");
    await identity.invitations.revoke(owner, revoked.invitationId);
    const orphan = await identity.invitations.create(second, "member");
    await identity.members.setRole(owner, second.userId, "member");
    const late = await identity.invitations.create(owner, "member");
    const accept = (token: string) => identity.invitations.acceptAsNew(token, { name: "X" });
    await expect(accept(revoked.token)).rejects.toEqual(refusedWith("link_refused"));
    await expect(accept(orphan.token)).rejects.toEqual(refusedWith("link_refused"));
    world.clock.pass(7 * DAY);
    await expect(accept(late.token)).rejects.toEqual(refusedWith("link_refused"));
  });

  it("takes back who had left, with the role it names and not the old one", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "approver");
    await world.identity.members.remove(owner, ann.userId);
    const { token } = await world.identity.invitations.create(owner, "member");
    await expect(world.identity.invitations.accept(token, ann.session)).resolves.toMatchObject({ role: "member" });
    const again = await world.identity.invitations.create(owner, "owner");
    await expect(world.identity.invitations.accept(again.token, ann.session)).rejects.toEqual(
      refusedWith("already_exists"),
    );
  });
});

describe("workspaces (invariant I11, attack D7)", () => {
  it("do not mix: a role in one is nothing in another, and foreign ones look like absent ones", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    const annsPlace = await identity.persons.createWorkspace(ann.session, "Ann's");
    expect(await identity.sessions.enter(ann.session, annsPlace)).toMatchObject({ role: "owner" });
    expect(await identity.sessions.enter(ann.session, owner.workspaceId)).toMatchObject({ role: "member" });
    expect(await identity.sessions.enter(owner.session, annsPlace)).toBeUndefined();
    expect(await identity.sessions.enter(owner.session, "wsp_absent")).toBeUndefined();
    expect(await identity.persons.workspaces(ann.session)).toHaveLength(2);
  });

  it("lets an owner disable or recover nobody who also belongs elsewhere", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    await identity.persons.createWorkspace(ann.session, "Ann's");
    await expect(identity.persons.recover(owner, ann.userId)).rejects.toEqual(refusedWith("not_permitted"));
    await expect(identity.persons.disable(owner, ann.userId)).rejects.toEqual(refusedWith("not_permitted"));
    await identity.members.remove(owner, ann.userId);
    expect(await identity.sessions.enter(ann.session, owner.workspaceId)).toBeUndefined();
    await expect(identity.persons.recover(owner, ann.userId)).rejects.toEqual(refusedWith("not_found"));
  });

  it("lets a principal that was cast for another workspace change nothing there (attack D4)", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    const forged = { ...ann, role: "owner" as const };
    await expect(identity.members.setRole(forged, ann.userId, "owner")).rejects.toEqual(refusedWith("not_permitted"));
    await expect(identity.groups.create(forged, "finance")).rejects.toEqual(refusedWith("not_permitted"));
    await expect(identity.invitations.create(forged, "owner")).rejects.toEqual(refusedWith("not_permitted"));
  });
});

describe("the last owner", () => {
  it("cannot leave, be lowered or be disabled", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const refused = refusedWith("last_owner");
    await expect(identity.members.remove(owner, owner.userId)).rejects.toEqual(refused);
    await expect(identity.members.setRole(owner, owner.userId, "member")).rejects.toEqual(refused);
    await expect(identity.persons.disable(owner, owner.userId)).rejects.toEqual(refused);
  });

  it("stays, when two owners lower each other at the same time", async () => {
    const world = await openWorld();
    const { identity } = world;
    const one = await firstOwner(world);
    const two = await invite(world, one, "owner", "Two");
    await Promise.allSettled([
      identity.members.setRole(one, two.userId, "member"),
      identity.members.setRole(two, one.userId, "member"),
    ]);
    const roles = await world.database.all("SELECT role FROM identity_membership WHERE role = 'owner'");
    expect(roles).toHaveLength(1);
  });
});

describe("disabling and recovering", () => {
  it("ends all sessions of a disabled person at once, and no link brings them back", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "approver", "Ann");
    await identity.persons.disable(owner, ann.userId);
    expect(await identity.sessions.find(ann.token)).toBeUndefined();
    await expect(identity.signInLinks.create(ann.userId)).rejects.toEqual(refusedWith("not_found"));
    expect(await identity.members.list(owner)).toContainEqual(expect.objectContaining({ name: "Ann", disabled: true }));
  });

  it("recovers a person by another owner or by the host, with new sessions only, and tells it", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    await expect(identity.persons.recover(owner, owner.userId)).rejects.toEqual(refusedWith("not_permitted"));
    const link = await identity.persons.recover(owner, ann.userId);
    expect(await identity.sessions.find(ann.token)).toBeUndefined();
    await expect(identity.signInLinks.redeem(link.token)).resolves.toMatchObject({ session: { userId: ann.userId } });
    await expect(
      identity.signInLinks.redeem((await identity.persons.recoverFromHost(owner.userId)).token),
    ).resolves.toMatchObject({ session: { userId: owner.userId } });
    expect(world.events.filter(({ type }) => type === "person.recovered").map(({ by }) => by)).toEqual([
      owner.userId,
      "host",
    ]);
  });
});

describe("groups", () => {
  it("hold members of their workspace only, and forget who leaves it", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    await identity.groups.create(owner, "finance");
    await identity.groups.add(owner, "finance", ann.userId);
    expect(await identity.sessions.enter(ann.session, owner.workspaceId)).toMatchObject({ groups: ["finance"] });
    await expect(identity.groups.add(owner, "finance", "usr_stranger")).rejects.toEqual(refusedWith("not_found"));
    await expect(identity.groups.create(owner, "finance")).rejects.toEqual(refusedWith("already_exists"));
    await expect(identity.groups.create(owner, "Fin ance")).rejects.toEqual(refusedWith("invalid_request"));
    await identity.members.remove(owner, ann.userId);
    expect(await identity.groups.list(owner)).toEqual([{ name: "finance", members: [] }]);
    await identity.groups.remove(owner, "finance");
    expect(await identity.groups.list(owner)).toEqual([]);
  });
});
