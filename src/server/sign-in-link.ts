import { existsSync } from "node:fs";
import type { Config } from "../config/schema.js";
import { CountersignError } from "../core/errors.js";
import { linkUrl, openIdentity } from "./identity/index.js";
import { identityAt, isPostgres, openIdentityDatabase } from "./identity-database.js";

/**
 * A new way in for the owner, made beside a server that runs or does not, on its own database. With `recover` all passkeys and
 * sessions of the owner end first: for one who lost them, and whom nobody else can help.
 */
export async function makeSignInLink(config: Config, { recover = false } = {}): Promise<string> {
  const place = identityAt(config);
  if (!isPostgres(place) && !existsSync(place)) {
    throw new CountersignError("invalid_request", `Nobody is known in ${config.data} yet. Run: countersign serve`);
  }
  const origin = config.origins[0] ?? `http://localhost:${config.port}`;
  const database = openIdentityDatabase(config);
  try {
    const owner = await database.get<{ user_id: string }>(
      `SELECT user_id FROM identity_membership WHERE role = 'owner' AND revoked_at IS NULL ORDER BY created_at LIMIT 1`,
    );
    if (owner === undefined) throw new CountersignError("not_found", "There is no owner to sign in.");
    const identity = await openIdentity({
      database,
      relyingParty: { id: new URL(origin).hostname, name: "Countersign", origins: [origin] },
      // The server takes the event into the chain when it next delivers what waits.
      audit: () => {
        throw new CountersignError("store_failed", "left to the server");
      },
      acceptNewRelyingParty: true,
    });
    const { persons, signInLinks } = identity;
    const { token } = await (recover ? persons.recoverFromHost(owner.user_id) : signInLinks.create(owner.user_id));
    await identity.close();
    return linkUrl(origin, "sign_in", token);
  } finally {
    await database.close();
  }
}
