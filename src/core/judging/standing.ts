import type { Person } from "../approval.js";
import { newEntry } from "../audit.js";
import { type Engine, noteEpoch } from "../engine.js";
import { forDue } from "../for-each.js";
import { newId } from "../ids.js";
import type { Applied, Change, Put, StoredRecord } from "../ports.js";
import { Reading, type Soon } from "../soon.js";
import type { Denial } from "./denials.js";
import type { Grant } from "./grants.js";
import type { Settings } from "./settings.js";

/** What a workspace remembers beyond its approvals: grants, people's settings, and what was denied a short while ago. */
export interface Standing {
  readonly grants: readonly Grant[];
  readonly settings: ReadonlyMap<string, Settings>;
  readonly denials: readonly Denial[];
}

/** A reading, and the head of the workspace it was made under. */
export interface KnownStanding {
  readonly head: object;
  readonly standing: Reading<Standing>;
  /** Records read besides, each once, by id. */
  readonly records: Map<string, Reading<StoredRecord | undefined>>;
}

const PAGE = 1_000;

/** All of it is listed under one key, so that judging a call costs one read, and none while the head is known. */
export function standingIndex(workspaceId: string): string {
  return `standing/${workspaceId}`;
}

/**
 * What stands now. It is read again with every new look at the workspace's head, so another instance's revocation counts here
 * as soon as a pause would; for anything that is claimed, the epoch decides inside the store.
 */
export function standingOf(engine: Engine, workspaceId: string, head: object): Soon<Standing> {
  return knownUnder(engine, workspaceId, head).standing.value;
}

/** The same for a setting that is not listed with the rest, such as one session's scope. */
export function settingUnder(
  engine: Engine,
  workspaceId: string,
  head: object,
  id: string,
): Soon<StoredRecord | undefined> {
  const { records } = knownUnder(engine, workspaceId, head);
  const known = records.get(id);
  if (known !== undefined) return known.value;
  const record = engine.store.get("setting", id);
  records.set(id, new Reading(record));
  record.catch(() => records.delete(id));
  return record;
}

function knownUnder(engine: Engine, workspaceId: string, head: object): KnownStanding {
  const known = engine.standing.get(workspaceId);
  if (known?.head === head) return known;
  const standing = load(engine, workspaceId);
  const fresh: KnownStanding = { head, standing: new Reading(standing), records: new Map() };
  engine.standing.set(workspaceId, fresh);
  // A reading that failed is not kept: the next call tries again.
  standing.catch(() => engine.standing.delete(workspaceId));
  return fresh;
}

async function load({ store }: Engine, workspaceId: string): Promise<Standing> {
  const records: StoredRecord[] = [];
  for (let after = ""; ; after = records.at(-1)?.id ?? "") {
    const page = await store.list(standingIndex(workspaceId), after, PAGE);
    records.push(...page);
    if (page.length < PAGE) break;
  }
  const read = <T>(kind: string) =>
    records.filter((record) => record.kind === kind).map((record) => JSON.parse(record.value) as T);
  return {
    grants: read<Grant>("grant"),
    settings: new Map(read<Settings>("setting").map((settings) => [settings.userId, settings])),
    denials: read<Denial>("denial"),
  };
}

/** This process has changed what stands: the next judgement reads it anew. */
export function forgetStanding(engine: Engine, workspaceId: string): void {
  engine.standing.delete(workspaceId);
}

/** A record of what stands, listed under its workspace until its time is over. */
export function standingPut(
  kind: "grant" | "setting" | "denial",
  id: string,
  value: { readonly workspaceId: string; readonly until?: number },
  version = 0,
  indexes: readonly string[] = [],
): Put {
  return {
    kind,
    id,
    version,
    value: JSON.stringify(value),
    indexes: [standingIndex(value.workspaceId), ...indexes],
    ...(value.until === undefined ? {} : { due: value.until }),
  };
}

/** Commits a change of what stands. Refusals come back: what they mean differs from act to act. */
export async function commitStanding(engine: Engine, change: Omit<Change, "changeId">): Promise<Applied> {
  const applied = await engine.grouper.commit({ changeId: newId(), ...change });
  noteEpoch(engine, change.workspaceId, applied.epoch);
  forgetStanding(engine, change.workspaceId);
  return applied;
}

/** Removes what time has ended; it counted for nothing any more. */
export const endGrants = (engine: Engine): Promise<void> => endStanding(engine, "grant");
export const endDenials = (engine: Engine): Promise<void> => endStanding(engine, "denial");

function endStanding(engine: Engine, kind: "grant" | "denial"): Promise<void> {
  return forDue(engine, kind, async ({ id, version, value }) => {
    const { workspaceId, until, approvalId } = JSON.parse(value) as Grant | Denial;
    await engine.grouper.commit({
      changeId: newId(),
      workspaceId,
      puts: [{ kind, id, version, value: null }],
      entries: [newEntry(`${kind}.ended`, approvalId, { [kind]: id })],
      after: until,
    });
  });
}

/** Acts after which less is asked. Whoever runs the gate may want more proof of the person before. */
export type WeakeningAct = "grant.created" | "settings.changed" | "scope.set" | "replies.changed" | "workspace.resumed";

/** Throws to refuse. Without a hook the host has vouched for the person and that is enough. */
export type Weaken = (person: Person, act: WeakeningAct) => Promise<void>;
