import type { Person } from "./approval.js";
import { newEntry } from "./audit.js";
import type { Engine } from "./engine.js";
import { CountersignError } from "./errors.js";
import { newId } from "./ids.js";
import { counterKey } from "./judging/budgets.js";
import { memberOf } from "./vouch.js";

/** How long what was said in calls is kept; that they were made, when and how they ended stays. */
export const PRIVACY_LEVELS = ["minimal", "enhanced"] as const;
export type PrivacyLevel = (typeof PRIVACY_LEVELS)[number];

function privacyId(workspaceId: string): string {
  return counterKey("privacy", workspaceId);
}

/** The level of a workspace: what its owner has said, else the usual one. A word that is none keeps the least. */
export async function privacyOf(
  { store }: Pick<Engine, "store">,
  workspaceId: string,
  usual: PrivacyLevel,
): Promise<PrivacyLevel> {
  const record = await store.get("setting", privacyId(workspaceId));
  if (record === undefined) return usual;
  const { level } = JSON.parse(record.value) as { readonly level: PrivacyLevel };
  return PRIVACY_LEVELS.includes(level) ? level : "minimal";
}

/** Keeping more of everybody's calls, or less, is the owner's word; it is written down. */
export async function setPrivacy(engine: Engine, level: PrivacyLevel, person: Person): Promise<void> {
  const { workspaceId, userId, roles = [] } = await memberOf(engine, person);
  if (engine.people !== undefined && !roles.includes("owner"))
    throw new CountersignError("not_permitted", "What is kept of calls is the owner's word.");
  if (!PRIVACY_LEVELS.includes(level))
    throw new CountersignError("invalid_call", `A level is one of ${PRIVACY_LEVELS.join(", ")}.`);
  const id = privacyId(workspaceId);
  for (;;) {
    const version = (await engine.store.get("setting", id))?.version ?? 0;
    const applied = await engine.grouper.commit({
      changeId: newId(),
      workspaceId,
      puts: [{ kind: "setting", id, version, value: JSON.stringify({ workspaceId, level }) }],
      entries: [newEntry("privacy.changed", "", { by: userId, level })],
    });
    if (applied.ok) return;
    if (applied.refused !== "version")
      throw new CountersignError("store_failed", `The level was not changed: ${applied.refused}.`);
  }
}
