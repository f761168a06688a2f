import { dirname } from "node:path";
import { expect, it } from "vitest";
import { enrol, firstOwner, ORIGIN, openWorld, tempFile } from "../../test/identity/world.js";
import { loadConfig } from "../config/load.js";
import { systemClock } from "../core/clock.js";
import { makeSignInLink } from "./sign-in-link.js";

async function ownerIn(path: string) {
  const world = await openWorld({ path, clock: systemClock });
  const owner = await firstOwner(world);
  await enrol(world, owner);
  const environment = { COUNTERSIGN_DATA: dirname(path), COUNTERSIGN_ORIGINS: ORIGIN };
  const { config } = loadConfig({ environment, flags: {} });
  const redeem = (link: string) => world.identity.signInLinks.redeem(new URL(link).hash.slice("#t=".length));
  return { world, owner, config, redeem };
}

it("lets the host back in an owner who lost every passkey: passkeys and sessions end, and the link signs in", async () => {
  const { world, owner, config, redeem } = await ownerIn(tempFile());
  const { identity } = world;
  expect(await identity.stepUp.isEnrolled(owner.userId)).toBe(true);
  const { session } = await redeem(await makeSignInLink(config, { recover: true }));
  expect(session.userId).toBe(owner.userId);
  expect(await identity.stepUp.isEnrolled(owner.userId)).toBe(false);
  expect(await identity.sessions.find(owner.token)).toBeUndefined();
});

it("takes no passkey away for a plain link", async () => {
  const { world, owner, config, redeem } = await ownerIn(tempFile());
  expect((await redeem(await makeSignInLink(config))).session.userId).toBe(owner.userId);
  expect(await world.identity.stepUp.isEnrolled(owner.userId)).toBe(true);
});
