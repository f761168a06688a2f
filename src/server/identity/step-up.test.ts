import { describe, expect, it } from "vitest";
import { type Ceremony, SoftwareAuthenticator } from "../../../test/identity/software-authenticator.js";
import { enrol, entered, firstOwner, invite, ORIGIN, openWorld, SECOND } from "../../../test/identity/world.js";
import { sha256Hex } from "../../core/ids.js";
import { decisionChallenge, type StepUpEvidence, verifyStepUpEvidence } from "./evidence.js";
import type { AgentPrincipal } from "./principal.js";
import type { Question } from "./step-up.js";

const refused = expect.objectContaining({ code: "passkey_refused" });
const question: Question = { approvalId: "apr_1", toolCallHash: sha256Hex("the call"), decision: "approve" };

async function approver() {
  const world = await openWorld();
  const { person, passkey } = await enrol(world, await firstOwner(world));
  return { ...world, world, person, passkey };
}

describe("a decision over the call's hash", () => {
  it("is accepted for the call that was shown, with the strongest assurance and evidence that stands alone", async () => {
    const { identity, person, passkey } = await approver();
    const options = await identity.stepUp.begin(person, question);
    expect(options.allowCredentials).toHaveLength(1);
    const { person: decided, evidence } = await identity.stepUp.finish(person, question, passkey.assert(options));
    expect(decided).toMatchObject({ kind: "person", userId: person.userId, assurance: "passkey_over_hash" });
    expect(evidence).toMatchObject({ ...question, workspaceId: person.workspaceId, userId: person.userId });
    expect(verifyStepUpEvidence(JSON.parse(JSON.stringify(evidence)) as StepUpEvidence)).toEqual({ ok: true });
  });

  it.each<[string, Partial<Question>]>([
    ["another call", { toolCallHash: sha256Hex("another call") }],
    ["another approval", { approvalId: "apr_2" }],
    ["the other word", { decision: "deny" }],
  ])("is refused for %s, told to the audit log, and cannot be tried again (invariant I3)", async (_, swapped) => {
    const { identity, person, passkey, events } = await approver();
    const answer = passkey.assert(await identity.stepUp.begin(person, question));
    await expect(identity.stepUp.finish(person, { ...question, ...swapped }, answer)).rejects.toEqual(refused);
    await expect(identity.stepUp.finish(person, question, answer)).rejects.toEqual(refused);
    expect(events.filter(({ type }) => type === "passkey.refused")).toHaveLength(1);
  });

  it.each<[string, Ceremony]>([
    ["without user verification", { userVerified: false }],
    ["from another origin", { origin: "http://localhost:9999" }],
    ["from an embedded page", { crossOrigin: true }],
    ["with another user handle", { userHandle: "AAAA" }],
  ])("is refused %s", async (_, lie) => {
    const { identity, person, passkey } = await approver();
    const answer = passkey.assert(await identity.stepUp.begin(person, question), lie);
    await expect(identity.stepUp.finish(person, question, answer)).rejects.toEqual(refused);
  });

  it("counts once, within 90 seconds, and of two answers at the same time one wins", async () => {
    const { identity, person, passkey, clock } = await approver();
    const answer = passkey.assert(await identity.stepUp.begin(person, question));
    const tries = await Promise.allSettled([
      identity.stepUp.finish(person, question, answer),
      identity.stepUp.finish(person, question, answer),
    ]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const late = passkey.assert(await identity.stepUp.begin(person, question));
    clock.pass(90 * SECOND);
    await expect(identity.stepUp.finish(person, question, late)).rejects.toEqual(refused);
  });

  it("is no sign-in, no elevation and no registration, nor are those a decision", async () => {
    const { identity, person, passkey } = await approver();
    const decide = await identity.stepUp.begin(person, question);
    await expect(identity.passkeys.finishSignIn(passkey.assert(decide))).rejects.toEqual(refused);
    await expect(identity.passkeys.finishElevation(person.session, passkey.assert(decide))).rejects.toEqual(refused);
    const signIn = await identity.passkeys.beginSignIn();
    await expect(identity.stepUp.finish(person, question, passkey.assert(signIn))).rejects.toEqual(refused);
    const elevate = await identity.passkeys.beginElevation(person.session);
    await expect(identity.stepUp.finish(person, question, passkey.assert(elevate))).rejects.toEqual(refused);
  });

  it("belongs to one person, one session and one workspace (invariant I11)", async () => {
    const { world, identity, person, passkey } = await approver();
    const ann = await invite(world, person, "approver", "Ann");
    const { person: enrolledAnn, passkey: anns } = await enrol(world, ann);
    const asked = await identity.stepUp.begin(person, question);
    await expect(identity.stepUp.finish(enrolledAnn, question, anns.assert(asked))).rejects.toEqual(refused);
    await expect(identity.stepUp.finish(person, question, anns.assert(asked))).rejects.toEqual(refused);
    const second = await identity.passkeys.finishSignIn(passkey.assert(await identity.passkeys.beginSignIn()));
    const elsewhere = await entered(identity, second, person.workspaceId);
    const here = await identity.stepUp.begin(person, question);
    await expect(identity.stepUp.finish(elsewhere, question, passkey.assert(here))).rejects.toEqual(refused);
    const otherPlace = await identity.persons.createWorkspace(person.session, "Other");
    const there = { ...person, workspaceId: otherPlace };
    const again = await identity.stepUp.begin(person, question);
    await expect(identity.stepUp.finish(there, question, passkey.assert(again))).rejects.toEqual(refused);
  });

  it("is not for agents, auditors, or who has no passkey (attack D3)", async () => {
    const { world, identity, person } = await approver();
    const agent = { kind: "agent", agentId: "agt_1", workspaceId: person.workspaceId } as AgentPrincipal;
    await expect(identity.stepUp.begin(agent as never, question)).rejects.toMatchObject({ code: "not_permitted" });
    const auditor = await invite(world, person, "auditor", "Aud");
    await expect(identity.stepUp.begin(auditor, question)).rejects.toMatchObject({ code: "not_permitted" });
    const ann = await invite(world, person, "approver", "Ann");
    await expect(identity.stepUp.begin(ann, question)).rejects.toEqual(refused);
    expect(await identity.stepUp.isEnrolled(ann.userId)).toBe(false);
    expect(await identity.stepUp.isEnrolled(person.userId)).toBe(true);
  });

  it.each([{ decision: "yes" }, { toolCallHash: "abc" }, { approvalId: "" }])(
    "does not ask about %j",
    async (wrong) => {
      const { identity, person } = await approver();
      await expect(identity.stepUp.begin(person, { ...question, ...wrong } as Question)).rejects.toMatchObject({
        code: "invalid_decision",
      });
    },
  );
});

describe("evidence", () => {
  async function evidenceOf() {
    const { identity, person, passkey } = await approver();
    const answer = passkey.assert(await identity.stepUp.begin(person, question));
    const { evidence } = await identity.stepUp.finish(person, question, answer);
    return { evidence, passkey };
  }

  it.each<[what: string, lie: Ceremony, problem: string]>([
    ["the person was not verified", { userVerified: false }, "the person was not verified"],
    ["it was signed on an embedded page", { crossOrigin: true }, "it was signed on another page"],
    ["it was signed for another party", { rpId: "evil.example" }, "it was signed for another relying party"],
    ["it was signed as another kind of act", { type: "webauthn.create" }, "it is not an assertion"],
  ])("fails when %s, however well it is signed", async (_, lie, problem) => {
    const { evidence, passkey } = await evidenceOf();
    const options = { challenge: decisionChallenge(evidence), rpId: evidence.rpId };
    const signed = (lies: Ceremony) => {
      const { clientDataJSON, authenticatorData, signature } = passkey.assert(options, lies).response;
      return verifyStepUpEvidence({ ...evidence, clientDataJSON, authenticatorData, signature });
    };
    expect(signed({})).toEqual({ ok: true });
    expect(signed(lie)).toEqual({ ok: false, problem });
  });

  it("fails when anything in it is changed", async () => {
    const { evidence: good } = await evidenceOf();
    const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);
    const other = new SoftwareAuthenticator(ORIGIN);
    const another = "what was signed is not this decision on this call";
    const changes: Partial<Record<keyof StepUpEvidence, readonly [value: unknown, problem: string]>> = {
      version: [2, "its version is unknown"],
      approvalId: ["apr_2", another],
      toolCallHash: [sha256Hex("another call"), another],
      decision: ["deny", another],
      workspaceId: ["wsp_2", another],
      userId: ["usr_2", another],
      nonce: [flip(good.nonce), another],
      rpId: ["evil.example", "it was signed for another relying party"],
      origin: ["https://evil.example", "it was signed on another page"],
      publicKey: [{ ...good.publicKey, x: flip(good.publicKey.x ?? "") }, "it cannot be read"],
      clientDataJSON: [Buffer.from("{}").toString("base64url"), "it is not an assertion"],
      authenticatorData: [good.authenticatorData.slice(0, -4), "the authenticator's data is too short"],
      signature: [other.credentialId.toString("base64url"), "the signature is not of this key"],
    };
    for (const [field, [value, problem]] of Object.entries(changes)) {
      const verdict = verifyStepUpEvidence({ ...good, [field]: value });
      expect(verdict, field).toEqual({ ok: false, problem: expect.stringContaining(problem) });
    }
    expect(verifyStepUpEvidence(undefined as never)).toEqual({
      ok: false,
      problem: expect.stringContaining("it cannot be read"),
    });
  });

  it("binds parts that could run into each other apart", () => {
    const one = { approvalId: "ab", toolCallHash: "c", decision: "approve", workspaceId: "w", userId: "u" } as const;
    const two = { ...one, approvalId: "a", toolCallHash: "bc" };
    expect(decisionChallenge({ ...one, nonce: "AA" })).not.toBe(decisionChallenge({ ...two, nonce: "AA" }));
  });
});
