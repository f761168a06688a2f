import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import type { DeviceProver } from "../client/device-tokens.js";
import { CountersignError } from "../core/errors.js";
import { sha256 } from "../core/ids.js";
import { makeFolder } from "../folder.js";

/** In the user's state folder, not where the agent works. */
export function defaultDevicePath(): string {
  const state = process.env["XDG_STATE_HOME"];
  const folder = state === undefined || state === "" ? join(homedir(), ".local", "state") : state;
  return join(folder, "countersign", "device.key");
}

/**
 * This machine's Ed25519 key pair, made when it is first needed and kept in a file for its owner alone. A file that others can
 * read is refused: a key that may have been copied proves no device.
 */
export function fileDevice(path: string = defaultDevicePath()): DeviceProver {
  const key = createPrivateKey(loadOrCreate(path));
  const { x } = key.export({ format: "jwk" });
  const header = encode({ typ: "dpop+jwt", alg: "EdDSA", jwk: { kty: "OKP", crv: "Ed25519", x } });
  return {
    label: hostname(),
    proof({ method, url, apiKey }) {
      const claims = {
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1_000),
        jti: randomUUID(),
        ath: sha256(apiKey).toString("base64url"),
      };
      const signed = `${header}.${encode(claims)}`;
      return `${signed}.${sign(null, Buffer.from(signed), key).toString("base64url")}`;
    },
  };
}

function loadOrCreate(path: string): string {
  try {
    return load(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  makeFolder(dirname(path));
  const { privateKey } = generateKeyPairSync("ed25519");
  const text = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    chmodSync(path, 0o600);
    return text;
  } catch (error) {
    // Another process was faster: its key is this machine's.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return load(path);
    throw error;
  }
}

function load(path: string): string {
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) {
    throw new CountersignError(
      "device_refused",
      `Others can read ${path}. Make it yours alone (chmod 600), or remove it.`,
    );
  }
  return readFileSync(path, "utf8");
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
