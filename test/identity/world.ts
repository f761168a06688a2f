import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sha256 } from "../../src/core/ids.js";
import type { Clock } from "../../src/core/ports.js";
import {
  type Identity,
  type IdentityDatabase,
  type IdentityEvent,
  type IdentityOptions,
  openIdentity,
  type PersonPrincipal,
  type Role,
  type StartedSession,
  sqliteIdentityDatabase,
} from "../../src/server/identity/index.js";
import { SoftwareAuthenticator } from "./software-authenticator.js";

export const ORIGIN = "http://localhost:4801";
export const PROOF_URL = `${ORIGIN}/v1/devices/token`;

/** Time that moves when told to. Timers do not fire: tests flush by hand. */
class TestClock implements Clock {
  #now = 1_800_000_000_000;

  now(): number {
    return this.#now;
  }

  timer(): () => void {
    return () => undefined;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface World {
  readonly identity: Identity;
  readonly clock: TestClock;
  readonly database: IdentityDatabase;
  readonly path: string;
  readonly events: IdentityEvent[];
  readonly notices: unknown[];
}

export function tempFile(name = "identity.db"): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-identity-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

let openDatabase: (path: string) => IdentityDatabase = sqliteIdentityDatabase;

/** What the worlds of this test file are kept in from now on. The path is then a name and nothing else. */
export function keepWorldsIn(open: (path: string) => IdentityDatabase): void {
  openDatabase = open;
}

/** A fresh identity on a file of its own, closed when the test ends. */
export async function openWorld(options: Partial<IdentityOptions> & { path?: string } = {}): Promise<World> {
  const { path = tempFile(), ...rest } = options;
  const clock = new TestClock();
  const database = openDatabase(path);
  const events: IdentityEvent[] = [];
  const notices: unknown[] = [];
  const identity = await openIdentity({
    database,
    clock,
    relyingParty: { id: "localhost", name: "Countersign", origins: [ORIGIN] },
    audit: (event) => void events.push(event),
    notice: (event, fields) => void notices.push([event, fields]),
    ...rest,
  });
  onTestFinished(async () => {
    await identity.close();
    await database.close();
  });
  return { identity, clock, database, path, events, notices };
}

/** The first owner, signed in by the link. */
export async function firstOwner({ identity }: World): Promise<PersonPrincipal & { readonly token: string }> {
  const first = await identity.persons.createFirstOwner({ name: "Olga" });
  if (first === undefined) throw new Error("somebody is here already");
  return entered(identity, await identity.signInLinks.redeem(first.link.token), first.workspaceId);
}

export async function entered(
  identity: Identity,
  { session, token }: StartedSession,
  workspaceId: string,
): Promise<PersonPrincipal & { readonly token: string }> {
  const principal = await identity.sessions.enter(session, workspaceId);
  if (principal === undefined) throw new Error("not a member");
  return { ...principal, token };
}

/** Invites somebody new, lets them join and, where it is needed, confirms them. */
export async function invite(
  { identity }: World,
  owner: PersonPrincipal,
  role: Role,
  name = "Max",
): Promise<PersonPrincipal & { readonly token: string }> {
  const { token } = await identity.invitations.create(owner, role);
  const joined = await identity.invitations.acceptAsNew(token, { name });
  if (joined.wantedRole !== null) await identity.members.confirm(owner, joined.userId);
  return entered(identity, joined, owner.workspaceId);
}

/** Enrols a passkey; the principal goes on with the elevated session. */
export async function enrol(
  { identity }: World,
  person: PersonPrincipal,
): Promise<{ readonly person: PersonPrincipal & { readonly token: string }; readonly passkey: SoftwareAuthenticator }> {
  const passkey = new SoftwareAuthenticator(ORIGIN);
  const options = await identity.passkeys.beginRegistration(person.session);
  const started = await identity.passkeys.finishRegistration(person.session, passkey.register(options));
  return { person: await entered(identity, started, person.workspaceId), passkey };
}

/** A device's key pair, and the proofs it makes; every claim can be made to lie. */
export class TestDevice {
  readonly #privateKey: KeyObject;
  readonly #x: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    this.#privateKey = privateKey;
    this.#x = publicKey.export({ format: "jwk" }).x as string;
  }

  proof(
    apiKey: string,
    now: number,
    lies: { readonly header?: Record<string, unknown>; readonly claims?: Record<string, unknown> } = {},
  ): string {
    const header = { typ: "dpop+jwt", alg: "EdDSA", jwk: { kty: "OKP", crv: "Ed25519", x: this.#x }, ...lies.header };
    const claims = {
      htm: "POST",
      htu: PROOF_URL,
      iat: Math.floor(now / 1_000),
      jti: randomBytes(16).toString("base64url"),
      ath: sha256(apiKey).toString("base64url"),
      ...lies.claims,
    };
    const signed = `${encode(header)}.${encode(claims)}`;
    return `${signed}.${sign(null, Buffer.from(signed), this.#privateKey).toString("base64url")}`;
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
