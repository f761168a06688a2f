import { ClientError } from "./errors.js";
import { type Authorize, readJson } from "./transport.js";

/** A key pair that never leaves its device. `proof` is a DPoP-shaped JWT (RFC 9449) signed by it. */
export interface DeviceProver {
  proof(target: { readonly method: string; readonly url: string; readonly apiKey: string }): string | Promise<string>;
  /** What its owner reads when asked to approve it. */
  readonly label?: string;
}

type Exchanged =
  | { readonly type: "bound"; readonly token: string; readonly expiresAt: string }
  | { readonly type: "pending"; readonly deviceId: string; readonly fingerprint: string };

const PATH = "/v1/devices/token";
/** Renewed this long before its end, so that none ends on the way. */
const MARGIN = 60_000;

/** Exchanges a proof for a token of ten minutes, and again before it ends. While the owner is being asked it throws so. */
export function deviceTokens(apiKey: string, device: DeviceProver): Authorize {
  let held: { readonly headers: Readonly<Record<string, string>>; readonly until: number } | undefined;
  let renewing: Promise<NonNullable<typeof held>> | undefined;
  const renew: (transport: Parameters<Authorize>[0]) => Promise<NonNullable<typeof held>> = async (transport) => {
    const proof = await device.proof({ method: "POST", url: transport.url + PATH, apiKey });
    const response = await transport.send({
      method: "POST",
      path: PATH,
      body: device.label === undefined ? {} : { label: device.label },
      headers: { authorization: `Bearer ${apiKey}`, dpop: proof },
    });
    const told = await readJson<Exchanged>(response, []);
    if (told.type !== "bound") {
      throw new ClientError({
        code: "device_refused",
        status: 202,
        retryable: true,
        detail: `This device (${told.fingerprint}) waits for the key's owner to approve it at ${transport.url}/settings/developer. Then try again.`,
      });
    }
    return { headers: { authorization: `Bearer ${told.token}` }, until: Date.parse(told.expiresAt) - MARGIN };
  };
  return async (transport) => {
    if (held === undefined || held.until <= Date.now()) {
      renewing ??= renew(transport).finally(() => {
        renewing = undefined;
      });
      held = await renewing;
    }
    return held.headers;
  };
}
