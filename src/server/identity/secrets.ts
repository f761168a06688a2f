import { randomBytes } from "node:crypto";
import { newId, sha256Hex } from "../../core/ids.js";

/** 256 random bits, shown once. The prefix lets people and scanners see what kind of secret has leaked. */
export function newSecret(prefix: "csl" | "csi" | "css" | "csd" | "csc"): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`;
}

/** What is kept of a secret. They are all random and long, so that a slow hash would protect nothing more. */
export function hashSecret(secret: string): string {
  return sha256Hex(secret);
}

/** Longer texts than any secret are not hashed at all: they are wrong already. */
export function isPlausible(secret: unknown): secret is string {
  return typeof secret === "string" && secret.length > 0 && secret.length <= 128;
}

export function newPrefixedId(prefix: string): string {
  return `${prefix}_${newId().replaceAll("-", "")}`;
}
