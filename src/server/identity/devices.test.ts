import { describe, expect, it } from "vitest";
import {
  DAY,
  enrol,
  firstOwner,
  HOUR,
  invite,
  MINUTE,
  openWorld,
  PROOF_URL,
  SECOND,
  TestDevice,
} from "../../../test/identity/world.js";

const refused = expect.objectContaining({ code: "device_refused" });
const request = { method: "POST", url: PROOF_URL, label: "laptop" };

async function withKey() {
  const world = await openWorld();
  const owner = await firstOwner(world);
  const key = await world.identity.agents.create(owner, { name: "bot", scopes: ["email.send"] });
  const { identity, clock } = world;
  const exchange = (device: TestDevice, lies: Parameters<TestDevice["proof"]>[2] = {}) =>
    identity.devices.exchange(key.apiKey, device.proof(key.apiKey, clock.now(), lies), request);
  const approved = async (device: TestDevice) => {
    const asked = await exchange(device);
    if (asked.type !== "pending") throw new Error("not pending");
    await identity.devices.approve(owner, asked.deviceId);
    return asked.deviceId;
  };
  return { ...world, world, owner, key, exchange, approved };
}

describe("a device (attack D8)", () => {
  it("waits for the key's owner, then gets a token for ten minutes; the key alone does not work", async () => {
    const { identity, owner, key, exchange, clock, events } = await withKey();
    const device = new TestDevice();
    await expect(identity.agentAccess.find(key.apiKey)).rejects.toEqual(refused);
    const asked = await exchange(device);
    expect(asked).toMatchObject({ type: "pending", fingerprint: expect.stringMatching(/^[0-9A-F]{4}-[0-9A-F]{4}$/) });
    expect(await exchange(device)).toEqual(asked);
    expect(events.filter(({ type }) => type === "device.requested")).toHaveLength(1);
    const [view] = await identity.devices.list(owner);
    expect(view).toMatchObject({ status: "pending", label: "laptop" });
    await identity.devices.approve(owner, view?.deviceId ?? "");
    const bound = await exchange(device);
    if (bound.type !== "bound") throw new Error("not bound");
    expect(await identity.agentAccess.find(bound.token)).toMatchObject({ kind: "agent", deviceId: view?.deviceId });
    clock.pass(10 * MINUTE);
    expect(await identity.agentAccess.find(bound.token)).toBeUndefined();
  });

  it("is decided by the key's owner alone, once, within a day", async () => {
    const { world, identity, owner, exchange, clock } = await withKey();
    const stranger = await invite(world, owner, "owner", "Other owner");
    const asked = await exchange(new TestDevice());
    const deviceId = asked.type === "pending" ? asked.deviceId : "";
    await expect(identity.devices.approve(stranger, deviceId)).rejects.toMatchObject({ code: "not_found" });
    await expect(identity.devices.deny(stranger, deviceId)).rejects.toMatchObject({ code: "not_found" });
    clock.pass(DAY);
    await expect(identity.devices.approve(owner, deviceId)).rejects.toMatchObject({ code: "not_found" });
    expect(await identity.devices.list(owner)).toEqual([]);
  });

  it("stays out once denied, and its tokens stop when it is revoked", async () => {
    const { identity, owner, exchange, approved } = await withKey();
    const [bad, good] = [new TestDevice(), new TestDevice()];
    const asked = await exchange(bad);
    await identity.devices.deny(owner, asked.type === "pending" ? asked.deviceId : "");
    await expect(exchange(bad)).rejects.toEqual(refused);
    const deviceId = await approved(good);
    const bound = await exchange(good);
    await identity.devices.revoke(owner, deviceId);
    expect(await identity.agentAccess.find(bound.type === "bound" && bound.token)).toBeUndefined();
    await expect(exchange(good)).rejects.toEqual(refused);
  });

  it("keeps its approval through a rotation, and its token dies with the key it was made from", async () => {
    const { identity, owner, key, approved, clock } = await withKey();
    const device = new TestDevice();
    await approved(device);
    const next = await identity.apiKeys.rotate(owner, key.keyId);
    const proof = device.proof(next.apiKey, clock.now());
    const bound = await identity.devices.exchange(next.apiKey, proof, request);
    expect(bound.type).toBe("bound");
    await identity.apiKeys.revoke(owner, next.keyId);
    expect(await identity.agentAccess.find(bound.type === "bound" && bound.token)).toBeUndefined();
  });

  it("is not approved for another agent by being approved for one", async () => {
    const { identity, owner, approved, clock } = await withKey();
    const device = new TestDevice();
    await approved(device);
    const other = await identity.agents.create(owner, { name: "other", scopes: ["pay.send"] });
    const proof = device.proof(other.apiKey, clock.now());
    await expect(identity.devices.exchange(other.apiKey, proof, request)).resolves.toMatchObject({ type: "pending" });
  });

  it("leaves at most five questions open, and lets an unanswered one ask again after a day", async () => {
    const { exchange, clock } = await withKey();
    const devices = Array.from({ length: 6 }, () => new TestDevice());
    const tries = await Promise.allSettled(devices.map((device) => exchange(device)));
    expect(tries.filter(({ status }) => status === "rejected")).toHaveLength(1);
    clock.pass(DAY);
    for (const device of devices.slice(0, 5)) expect(await exchange(device)).toMatchObject({ type: "pending" });
    await expect(exchange(devices[5] as TestDevice)).rejects.toEqual(refused);
  });

  it("is approved only with a fresh passkey once one is enrolled", async () => {
    const { world, identity, owner, exchange, clock } = await withKey();
    const { person } = await enrol(world, owner);
    clock.pass(HOUR);
    const asked = await exchange(new TestDevice());
    const deviceId = asked.type === "pending" ? asked.deviceId : "";
    await expect(identity.devices.approve(person, deviceId)).rejects.toMatchObject({ code: "fresh_passkey_required" });
    await identity.devices.deny(person, deviceId);
  });
});

describe("a device proof", () => {
  it("counts once, even when it is sent twice at the same time", async () => {
    const { identity, key, clock } = await withKey();
    const proof = new TestDevice().proof(key.apiKey, clock.now());
    const send = () => identity.devices.exchange(key.apiKey, proof, request);
    const tries = await Promise.allSettled([send(), send()]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    // Still remembered for as long as it could pass as new.
    clock.pass(60 * SECOND);
    await identity.flush();
    await expect(send()).rejects.toEqual(refused);
  });

  it.each<[string, Parameters<TestDevice["proof"]>[2]]>([
    ["another path", { claims: { htu: "http://localhost:4801/v1/other" } }],
    ["another host", { claims: { htu: "http://localhost:4802/v1/devices/token" } }],
    ["another method", { claims: { htm: "GET" } }],
    ["a stale time", { claims: { iat: 1_800_000_000 - 61 } }],
    ["a future time", { claims: { iat: 1_800_000_000 + 61 } }],
    ["a time that is none", { claims: { iat: "1800000000" } }],
    ["another key's hash", { claims: { ath: "AAAA" } }],
    ["no id", { claims: { jti: undefined } }],
    ["a short id", { claims: { jti: "1" } }],
    ["no algorithm (attack G7)", { header: { alg: "none" } }],
    ["a shared-secret algorithm (attack G7)", { header: { alg: "HS256" } }],
    ["another type", { header: { typ: "JWT" } }],
    ["no key", { header: { jwk: undefined } }],
    ["another kind of key", { header: { jwk: { kty: "EC", crv: "P-256", x: "AA", y: "AA" } } }],
    ["a key of the wrong length", { header: { jwk: { kty: "OKP", crv: "Ed25519", x: "AAAA" } } }],
    ["a key that did not sign it", { header: { jwk: { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) } } }],
  ])("is refused with %s", async (_, lies) => {
    const { exchange } = await withKey();
    await expect(exchange(new TestDevice(), lies)).rejects.toEqual(refused);
  });

  it("is refused when any part of it is cut, swapped or padded (attack G7)", async () => {
    const { identity, key, clock } = await withKey();
    const good = new TestDevice().proof(key.apiKey, clock.now());
    const [header, payload, signature] = good.split(".");
    const other = new TestDevice().proof(key.apiKey, clock.now()).split(".");
    const wrong = [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature?.slice(0, -2)}`,
      `${header}.${payload}.${signature}==`,
      `${header}.${other[1]}.${signature}`,
      `${other[0]}.${payload}.${signature}`,
      `${good}.x`,
      "a.b.c",
      "",
      undefined,
      "x".repeat(5_000),
    ];
    for (const proof of wrong) {
      await expect(identity.devices.exchange(key.apiKey, proof, request)).rejects.toEqual(refused);
    }
    await expect(identity.devices.exchange("csk_live_wrong", good, request)).rejects.toMatchObject({
      code: "not_signed_in",
    });
    await expect(identity.devices.exchange(key.apiKey, good, request)).resolves.toMatchObject({ type: "pending" });
  });
});
