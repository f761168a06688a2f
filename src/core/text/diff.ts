/**
 * What changed between two JSON values, completely: applying the changes in order to the first gives the second.
 * Within a list they run from its end to its start, so that each index is still the one that the original has.
 */
import { canonicalize, type Json } from "../json.js";
import { isList, type JsonPath, keysOf, type ShowOptions, showInline, showPath } from "./inline.js";
import { sharedItems } from "./shared-items.js";
import { type Shown, shown } from "./shown.js";

export type Change =
  | { readonly type: "add"; readonly path: JsonPath; readonly after: Json }
  | { readonly type: "remove"; readonly path: JsonPath; readonly before: Json }
  | { readonly type: "replace"; readonly path: JsonPath; readonly before: Json; readonly after: Json };

type Members = { readonly [key: string]: Json };

/** Equal values, whatever the order of their keys, give no change. */
export function diffJson(before: Json, after: Json): readonly Change[] {
  const changes: Change[] = [];
  compare(before, after, [], changes);
  return changes;
}

/** `to: a@x → b@x`, on one line, escaped, nothing left out. */
export function describeChange(change: Change, options: ShowOptions = {}): Shown {
  const { path } = change;
  const where = path.length === 0 ? shown`the whole value` : showPath(path);
  switch (change.type) {
    case "add":
      return shown`${where}: added ${showInline(change.after, options, path)}`;
    case "remove":
      return shown`${where}: removed ${showInline(change.before, options, path)}`;
    case "replace":
      return shown`${where}: ${showInline(change.before, options, path)} → ${showInline(change.after, options, path)}`;
    default:
      return change satisfies never;
  }
}

/** Leaves `before` as it is. Throws when a change does not fit the value it is applied to: a diff must not half apply. */
export function applyDiff(before: Json, changes: readonly Change[]): Json {
  // a holder around the root makes replacing the root like replacing any member
  const holder: Json[] = [thaw(before)];
  for (const change of changes) applyChange(holder, change);
  return holder[0] ?? null;
}

function compare(before: Json, after: Json, path: JsonPath, changes: Change[]): void {
  if (isList(before) && isList(after)) compareLists(before, after, path, changes);
  else if (isMembers(before) && isMembers(after)) compareMembers(before, after, path, changes);
  else if (before !== after) changes.push({ type: "replace", path, before, after });
}

function compareMembers(before: Members, after: Members, path: JsonPath, changes: Change[]): void {
  for (const key of keysOf({ ...before, ...after })) {
    const [old, now] = [ownMember(before, key), ownMember(after, key)];
    const at = [...path, key];
    if (old === undefined && now !== undefined) changes.push({ type: "add", path: at, after: now });
    else if (old !== undefined && now === undefined) changes.push({ type: "remove", path: at, before: old });
    else if (old !== undefined && now !== undefined) compare(old, now, at, changes);
  }
}

/** Shared items stay. In the gaps between them items are compared in pairs, then the surplus is added or removed. */
function compareLists(before: readonly Json[], after: readonly Json[], path: JsonPath, changes: Change[]): void {
  let [oldEnd, newEnd] = [before.length, after.length];
  for (const [oldShared, newShared] of [[-1, -1] as const, ...sharedItems(before, after)].reverse()) {
    const [old, now] = [before.slice(oldShared + 1, oldEnd), after.slice(newShared + 1, newEnd)];
    const start = oldShared + 1;
    const pairs = Math.min(old.length, now.length);
    for (let index = old.length - 1; index >= pairs; index--) {
      changes.push({ type: "remove", path: [...path, start + index], before: old[index] ?? null });
    }
    for (let index = pairs; index < now.length; index++) {
      changes.push({ type: "add", path: [...path, start + index], after: now[index] ?? null });
    }
    for (let index = pairs - 1; index >= 0; index--) {
      compare(old[index] ?? null, now[index] ?? null, [...path, start + index], changes);
    }
    [oldEnd, newEnd] = [oldShared, newShared];
  }
}

function applyChange(holder: Json[], change: Change): void {
  const steps: JsonPath = [0, ...change.path];
  let parent: Json = holder;
  for (const step of steps.slice(0, -1)) parent = memberAt(parent, step) ?? misfit(change);
  const last = steps.at(-1) ?? 0;
  const current = memberAt(parent, last);
  if (change.type === "add") {
    const isPlace = isList(parent)
      ? typeof last === "number" && last >= 0 && last <= parent.length
      : current === undefined;
    if (!isPlace || change.path.length === 0) misfit(change);
  } else if (current === undefined || canonicalize(current) !== canonicalize(change.before)) {
    misfit(change);
  }
  if (isList(parent)) {
    const inserted = change.type === "remove" ? [] : [thaw(change.after)];
    (parent as Json[]).splice(Number(last), change.type === "add" ? 0 : 1, ...inserted);
  } else if (isMembers(parent)) {
    const members = parent as Record<string, Json>;
    if (change.type === "remove") delete members[last];
    else members[last] = thaw(change.after);
  } else misfit(change);
}

function memberAt(parent: Json, step: string | number): Json | undefined {
  if (isList(parent)) return typeof step === "number" ? parent[step] : undefined;
  return isMembers(parent) && typeof step === "string" ? ownMember(parent, step) : undefined;
}

function misfit(change: Change): never {
  throw new Error(`This change does not fit the value it is applied to: ${change.type} at ${showPath(change.path)}`);
}

/** A copy that may be written to. Canonical text has no `__proto__`, so the copy has no foreign prototype either. */
function thaw(value: Json): Json {
  return JSON.parse(canonicalize(value)) as Json;
}

function isMembers(value: Json): value is Members {
  return typeof value === "object" && value !== null && !isList(value);
}

function ownMember(members: Members, key: string): Json | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}
