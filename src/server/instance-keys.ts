import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "../config/schema.js";
import { CountersignError } from "../core/errors.js";
import {
  createKeyRing,
  generateSealingKey,
  generateSigningKey,
  type InstanceKeys,
  keysFromSecret,
  loadKeyText,
  parseSigningKey,
} from "../proof/index.js";
import { isOnNetwork } from "./open-store.js";

/**
 * What this instance signs, seals and masks with. With a store on its own machine it makes keys at the first start and keeps
 * them in its data folder. On one that instances elsewhere may share, they come from one secret that each of them is given: a
 * key of its own would sign and seal what no other could verify or open.
 */
export function openKeys({ store, data }: Pick<Config, "store" | "data">): InstanceKeys {
  return isOnNetwork(store) ? keysFromSecret(sharedSecret(data)) : keysFromFiles(data);
}

function sharedSecret(data: string): string {
  const path = join(data, "secret.key");
  try {
    return loadKeyText({ path, env: "COUNTERSIGN_SECRET" });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new CountersignError(
      "unknown_key",
      `Instances elsewhere may share this store, so all keys come from one secret, and there is none here. Give every instance the same: set COUNTERSIGN_SECRET, or write it to ${path} (mode 600). Make one with: openssl rand -base64 32`,
      { cause },
    );
  }
}

function keysFromFiles(data: string): InstanceKeys {
  const key = (name: string, make: () => string) => loadKeyText({ path: join(data, name) }, make);
  return {
    signing: parseSigningKey(key("signing.key", () => generateSigningKey("countersign"))),
    trusted: [],
    sealing: createKeyRing(key("sealing.key", generateSealingKey)),
    mask: Buffer.from(
      key("mask.key", () => randomBytes(32).toString("base64url")),
      "base64url",
    ),
    kept: key("kept.key", () => randomBytes(32).toString("base64url")),
    fingerprints: [],
  };
}
