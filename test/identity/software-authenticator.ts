import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/server";
import type { Assertion, Registration } from "../../src/server/identity/index.js";

/** What a browser and its authenticator would say; every field can be made to lie. */
export interface Ceremony {
  readonly origin?: string;
  readonly userVerified?: boolean;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly userHandle?: string | undefined;
  /** Zero as synced passkeys say, unless told otherwise. */
  readonly counter?: number;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** One ES256 passkey, made and used as WebAuthn says, without any hardware: real keys, real signatures. */
export class SoftwareAuthenticator {
  readonly credentialId: Buffer;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #origin: string;
  #handle: string | undefined;

  constructor(origin: string, credentialId: Buffer = randomBytes(32)) {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    this.#origin = origin;
    this.credentialId = credentialId;
  }

  register(options: PublicKeyCredentialCreationOptionsJSON, lies: Ceremony = {}): Registration {
    this.#handle = options.user.id;
    const clientData = this.#clientData("webauthn.create", options.challenge, lies);
    const { x, y } = this.#publicKey.export({ format: "jwk" });
    const cose = cborMap([
      [cborInt(1), cborInt(2)],
      [cborInt(3), cborInt(-7)],
      [cborInt(-1), cborInt(1)],
      [cborInt(-2), cborBytes(Buffer.from(x as string, "base64url"))],
      [cborInt(-3), cborBytes(Buffer.from(y as string, "base64url"))],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const authData = Buffer.concat([
      this.#authData(options.rp.id ?? "", HAS_CREDENTIAL, lies),
      Buffer.alloc(16),
      length,
      this.credentialId,
      cose,
    ]);
    const attestation = cborMap([
      [cborText("fmt"), cborText("none")],
      [cborText("attStmt"), cborMap([])],
      [cborText("authData"), cborBytes(authData)],
    ]);
    return {
      ...this.#envelope(),
      response: {
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: attestation.toString("base64url"),
        transports: ["internal"],
      },
    };
  }

  assert(options: PublicKeyCredentialRequestOptionsJSON, lies: Ceremony = {}): Assertion {
    const clientData = this.#clientData("webauthn.get", options.challenge, lies);
    const authData = this.#authData(options.rpId ?? "", 0, lies);
    const signed = Buffer.concat([authData, createHash("sha256").update(clientData).digest()]);
    const userHandle = "userHandle" in lies ? lies.userHandle : this.#handle;
    return {
      ...this.#envelope(),
      response: {
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: sign("sha256", signed, this.#privateKey).toString("base64url"),
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    };
  }

  #envelope() {
    const id = this.credentialId.toString("base64url");
    return { id, rawId: id, type: "public-key" as const, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string, lies: Ceremony): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? this.#origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  }

  #authData(rpId: string, flags: number, lies: Ceremony): Buffer {
    const rest = Buffer.alloc(5);
    rest[0] = flags | PRESENT | (lies.userVerified === false ? 0 : VERIFIED);
    rest.writeUInt32BE(lies.counter ?? 0, 1);
    return Buffer.concat([
      createHash("sha256")
        .update(lies.rpId ?? rpId)
        .digest(),
      rest,
    ]);
  }
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}

const cborInt = (value: number) => (value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value));
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);
const cborMap = (pairs: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, pairs.length), ...pairs.flat()]);
