import { describe, expect, it } from "vitest";
import { type Ceremony, SoftwareAuthenticator } from "../../../test/identity/software-authenticator.js";
import { enrol, firstOwner, HOUR, invite, MINUTE, ORIGIN, openWorld, SECOND } from "../../../test/identity/world.js";

const refused = expect.objectContaining({ code: "passkey_refused" });

describe("enrolling a passkey", () => {
  it("tells that it is the first one, and keeps the relying party it is bound to", async () => {
    const world = await openWorld();
    const { person } = await enrol(world, await firstOwner(world));
    expect(world.events).toContainEqual(
      expect.objectContaining({ type: "passkey.added", content: expect.objectContaining({ first: true }) }),
    );
    expect(await world.database.get("SELECT rp_id FROM identity_passkey")).toEqual({ rp_id: "localhost" });
    expect(await world.identity.passkeys.list(person.session)).toMatchObject([{ label: "Passkey" }]);
  });

  it.each<[string, Ceremony]>([
    ["without user verification", { userVerified: false }],
    ["from another origin", { origin: "http://localhost:4802" }],
    ["from an embedded page", { crossOrigin: true }],
    ["for another relying party", { rpId: "evil.example" }],
    ["for another challenge", { challenge: Buffer.alloc(32, 1).toString("base64url") }],
    ["from an assertion", { type: "webauthn.get" }],
  ])("is refused %s", async (_, lie) => {
    const world = await openWorld();
    const { session } = await firstOwner(world);
    const options = await world.identity.passkeys.beginRegistration(session);
    const response = new SoftwareAuthenticator(ORIGIN).register(options, lie);
    await expect(world.identity.passkeys.finishRegistration(session, response)).rejects.toEqual(refused);
    expect(await world.identity.passkeys.list(session)).toEqual([]);
  });

  it("is refused for a credential id that somebody has already", async () => {
    const world = await openWorld();
    const { person, passkey } = await enrol(world, await firstOwner(world));
    const ann = await invite(world, person, "member", "Ann");
    const copy = new SoftwareAuthenticator(ORIGIN, passkey.credentialId);
    const options = await world.identity.passkeys.beginRegistration(ann.session);
    await expect(world.identity.passkeys.finishRegistration(ann.session, copy.register(options))).rejects.toEqual(
      refused,
    );
  });

  it("takes a challenge once, within 90 seconds, in the session it was made for", async () => {
    const world = await openWorld();
    const { identity } = world;
    const { session, userId } = await firstOwner(world);
    const other = await identity.signInLinks.redeem((await identity.signInLinks.create(userId)).token);
    const device = new SoftwareAuthenticator(ORIGIN);
    const foreign = device.register(await identity.passkeys.beginRegistration(session));
    await expect(identity.passkeys.finishRegistration(other.session, foreign)).rejects.toEqual(refused);
    const late = device.register(await identity.passkeys.beginRegistration(session));
    world.clock.pass(90 * SECOND);
    await expect(identity.passkeys.finishRegistration(session, late)).rejects.toEqual(refused);
    const good = device.register(await identity.passkeys.beginRegistration(session));
    const tries = await Promise.allSettled([
      identity.passkeys.finishRegistration(session, good),
      identity.passkeys.finishRegistration(session, good),
    ]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("lets a ceremony begun before the first passkey not slip a second one in", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const thief = await identity.signInLinks.redeem((await identity.signInLinks.create(owner.userId)).token);
    const open = await identity.passkeys.beginRegistration(thief.session);
    await enrol(world, owner);
    const response = new SoftwareAuthenticator(ORIGIN).register(open);
    await expect(identity.passkeys.finishRegistration(thief.session, response)).rejects.toMatchObject({
      code: "fresh_passkey_required",
    });
  });
});

describe("signing in by passkey", () => {
  it("starts a strong session, for the person the credential belongs to", async () => {
    const world = await openWorld();
    const owner = await firstOwner(world);
    const { passkey } = await enrol(world, owner);
    const options = await world.identity.passkeys.beginSignIn();
    expect(options).toMatchObject({ userVerification: "required", rpId: "localhost" });
    expect(options.allowCredentials).toBeUndefined();
    const { session } = await world.identity.passkeys.finishSignIn(passkey.assert(options));
    expect(session).toMatchObject({ userId: owner.userId, amr: "passkey", strongAuthAt: world.clock.now() });
  });

  it.each<[string, Ceremony]>([
    ["without user verification", { userVerified: false }],
    ["from another port of the same host", { origin: "http://localhost:4802" }],
    ["from an embedded page", { crossOrigin: true }],
    ["with somebody else's user handle", { userHandle: Buffer.alloc(32, 7).toString("base64url") }],
    ["without a user handle", { userHandle: undefined }],
    ["from a registration", { type: "webauthn.create" }],
    ["for another relying party", { rpId: "evil.example" }],
  ])("is refused %s", async (_, lie) => {
    const world = await openWorld();
    const { passkey } = await enrol(world, await firstOwner(world));
    const response = passkey.assert(await world.identity.passkeys.beginSignIn(), lie);
    await expect(world.identity.passkeys.finishSignIn(response)).rejects.toEqual(refused);
  });

  it("spends the challenge even when it fails, and lets one of two answers win", async () => {
    const world = await openWorld();
    const { identity } = world;
    const { passkey } = await enrol(world, await firstOwner(world));
    const options = await identity.passkeys.beginSignIn();
    await expect(identity.passkeys.finishSignIn(passkey.assert(options, { userVerified: false }))).rejects.toEqual(
      refused,
    );
    await expect(identity.passkeys.finishSignIn(passkey.assert(options))).rejects.toEqual(refused);
    const answer = passkey.assert(await identity.passkeys.beginSignIn());
    const tries = await Promise.allSettled([
      identity.passkeys.finishSignIn(answer),
      identity.passkeys.finishSignIn(answer),
    ]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("refuses a signature of another key under the same credential id (attack G7)", async () => {
    const world = await openWorld();
    const { passkey } = await enrol(world, await firstOwner(world));
    const forger = new SoftwareAuthenticator(ORIGIN, passkey.credentialId);
    const options = await world.identity.passkeys.beginSignIn();
    const genuine = passkey.assert(options);
    const forged = forger.assert(options, { userHandle: genuine.response.userHandle });
    await expect(world.identity.passkeys.finishSignIn(forged)).rejects.toEqual(refused);
  });

  it("takes zero after zero, and no counter that has not risen", async () => {
    const world = await openWorld();
    const { identity } = world;
    const { passkey } = await enrol(world, await firstOwner(world));
    const signIn = async (lie: Ceremony = {}) =>
      identity.passkeys.finishSignIn(passkey.assert(await identity.passkeys.beginSignIn(), lie));
    await signIn();
    await signIn();
    await signIn({ counter: 9 });
    await expect(signIn({ counter: 9 })).rejects.toEqual(refused);
    await expect(signIn({ counter: 3 })).rejects.toEqual(refused);
    await expect(signIn({ counter: 0 })).rejects.toEqual(refused);
    await signIn({ counter: 10 });
  });

  it("lets one of two win that show the same count to different challenges at the same time", async () => {
    const world = await openWorld();
    const { identity } = world;
    const { passkey } = await enrol(world, await firstOwner(world));
    const asked = [await identity.passkeys.beginSignIn(), await identity.passkeys.beginSignIn()];
    const answers = asked.map((options) => passkey.assert(options, { counter: 5 }));
    const tries = await Promise.allSettled(answers.map((answer) => identity.passkeys.finishSignIn(answer)));
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("ends with the passkey and with the person", async () => {
    const world = await openWorld();
    const { identity } = world;
    const { person, passkey } = await enrol(world, await firstOwner(world));
    const [enrolled] = await identity.passkeys.list(person.session);
    await identity.passkeys.remove(person.session, enrolled?.passkeyId ?? "");
    await expect(identity.passkeys.finishSignIn(passkey.assert(await identity.passkeys.beginSignIn()))).rejects.toEqual(
      refused,
    );
    expect(await world.database.all("SELECT id FROM identity_passkey")).toHaveLength(1);
  });

  it.each([undefined, null, {}, { id: "x", response: { clientDataJSON: "e30" } }, { response: { clientDataJSON: 5 } }])(
    "refuses %j without falling over",
    async (response) => {
      const { identity } = await openWorld();
      await expect(identity.passkeys.finishSignIn(response as never)).rejects.toEqual(refused);
    },
  );
});

describe("another host name", () => {
  it("is refused at start while passkeys of the old one live, unless that is accepted", async () => {
    const world = await openWorld();
    await enrol(world, await firstOwner(world));
    const relyingParty = { id: "approvals.example", name: "Countersign", origins: ["https://approvals.example"] };
    const { path } = world;
    await expect(openWorld({ path, relyingParty })).rejects.toThrow(/have passkeys for "localhost"/);
    const moved = await openWorld({ path, relyingParty, acceptNewRelyingParty: true });
    expect((await moved.identity.passkeys.beginSignIn()).rpId).toBe("approvals.example");
  });
});

describe("showing a passkey again", () => {
  it("makes a session fresh that was not, by the person's own passkey only", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const ann = await invite(world, owner, "member", "Ann");
    const { passkey } = await enrol(world, owner);
    const { person, passkey: anns } = await enrol(world, ann);
    world.clock.pass(HOUR);
    const options = await identity.passkeys.beginElevation(person.session);
    await expect(identity.passkeys.finishElevation(person.session, passkey.assert(options))).rejects.toEqual(refused);
    const next = await identity.passkeys.beginElevation(person.session);
    const { session, token } = await identity.passkeys.finishElevation(person.session, anns.assert(next));
    await expect(identity.requireFresh(session, "passkey.added")).resolves.toBeUndefined();
    expect(await identity.sessions.find(person.token)).toBeUndefined();
    expect(await identity.sessions.find(token)).toEqual(session);
    world.clock.pass(5 * MINUTE + 1);
    await expect(identity.requireFresh(session, "passkey.added")).rejects.toMatchObject({
      code: "fresh_passkey_required",
    });
  });
});
