import { describe, expect, it } from "vitest";
import { entered, firstOwner, invite, MINUTE, openWorld, SECOND } from "../../../test/identity/world.js";

describe("signing a terminal in (RFC 8628)", () => {
  it("waits for the person, then hands the session out once", async () => {
    const world = await openWorld();
    const { identity, clock } = world;
    const owner = await firstOwner(world);
    const { deviceCode, userCode, interval } = await identity.cliSignIns.begin("countersign on mac");
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    clock.pass(interval);
    expect(await identity.cliSignIns.poll(deviceCode)).toEqual({ type: "authorization_pending" });
    expect(await identity.cliSignIns.look(owner.session, userCode.toLowerCase())).toMatchObject({
      client: "countersign on mac",
    });
    await identity.cliSignIns.decide(owner.session, userCode, "approve");
    await expect(identity.cliSignIns.decide(owner.session, userCode, "deny")).rejects.toMatchObject({
      code: "link_refused",
    });
    clock.pass(interval);
    const polls = await Promise.all([identity.cliSignIns.poll(deviceCode), identity.cliSignIns.poll(deviceCode)]);
    const [signedIn] = polls.filter(({ type }) => type === "signed_in");
    expect(polls.map(({ type }) => type).toSorted()).toEqual(["expired_token", "signed_in"]);
    if (signedIn?.type !== "signed_in") throw new Error("not signed in");
    expect(signedIn.session).toMatchObject({ kind: "cli", amr: "device", userId: owner.userId, strongAuthAt: null });
    const terminal = await entered(identity, signedIn, owner.workspaceId);
    const { userCode: next } = await identity.cliSignIns.begin("another");
    await expect(identity.cliSignIns.decide(terminal.session, next, "approve")).rejects.toMatchObject({
      code: "not_permitted",
    });
  });

  it("slows down who asks too often, by five seconds more each time", async () => {
    const { identity, clock } = await openWorld();
    const { deviceCode } = await identity.cliSignIns.begin("cli");
    expect(await identity.cliSignIns.poll(deviceCode)).toEqual({ type: "slow_down", interval: 7 * SECOND });
    clock.pass(6 * SECOND);
    expect(await identity.cliSignIns.poll(deviceCode)).toEqual({ type: "slow_down", interval: 12 * SECOND });
    clock.pass(12 * SECOND);
    expect(await identity.cliSignIns.poll(deviceCode)).toEqual({ type: "authorization_pending" });
  });

  it("ends when denied, and after ten minutes", async () => {
    const world = await openWorld();
    const { identity, clock } = world;
    const owner = await firstOwner(world);
    const denied = await identity.cliSignIns.begin("cli");
    await identity.cliSignIns.decide(owner.session, denied.userCode, "deny");
    const late = await identity.cliSignIns.begin("cli");
    clock.pass(5 * SECOND);
    expect(await identity.cliSignIns.poll(denied.deviceCode)).toEqual({ type: "access_denied" });
    clock.pass(10 * MINUTE);
    expect(await identity.cliSignIns.poll(late.deviceCode)).toEqual({ type: "expired_token" });
    await expect(identity.cliSignIns.decide(owner.session, late.userCode, "approve")).rejects.toMatchObject({
      code: "link_refused",
    });
    expect(await identity.cliSignIns.poll("csc_guess")).toEqual({ type: "expired_token" });
    expect(await identity.cliSignIns.poll(undefined)).toEqual({ type: "expired_token" });
  });

  it("stops a guesser after ten tries, and nobody else (attack F9)", async () => {
    const world = await openWorld();
    const { identity } = world;
    const owner = await firstOwner(world);
    const guesser = await invite(world, owner, "member", "Guesser");
    const { userCode, expiresAt } = await identity.cliSignIns.begin("cli");
    for (let i = 0; i < 10; i++) {
      await expect(identity.cliSignIns.look(guesser.session, "BBBB-BBBB")).rejects.toMatchObject({
        code: "link_refused",
      });
    }
    await expect(identity.cliSignIns.look(guesser.session, userCode)).rejects.toMatchObject({ code: "not_permitted" });
    expect(await identity.cliSignIns.look(owner.session, userCode)).toEqual({ client: "cli", expiresAt });
  });
});
