import type { Applied, Change, Kind, NewEntry, Put } from "../../core/ports.js";
import { KIND_CODES } from "../kind-codes.js";
import { USUAL } from "./entry-types.js";

/*
 * How groups and answers travel between the threads. Copying objects, each with the names of its properties, takes several times
 * as long as one flat list of plain values: a name is left out because both sides know what comes next. A text takes ten times as
 * long as a number, so that one which was just said is not said again.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- what comes out at a place is what went in there; both sides stand below.
type Values = any[];

const KINDS = Object.keys(KIND_CODES) as Kind[];

export function packGroup(group: readonly Change[]): Values {
  const values: Values = [];
  let workspaceId = "";
  for (const change of group) {
    const start = values.length;
    try {
      packChange(change, workspaceId, values);
      workspaceId = change.workspaceId;
    } catch {
      // Not of the usual form: it travels as it is, and is refused where all of them are judged.
      values.length = start;
      values.push(change);
    }
  }
  return values;
}

function packChange(change: Change, workspaceBefore: string, values: Values): void {
  const { changeId, workspaceId, before, after, epoch, tighten, paused, puts, entries, unique, counts } = change;
  values.push(textOf(changeId), textOf(workspaceId) === workspaceBefore ? null : workspaceId);
  values.push(before, after, epoch, tighten, paused);
  values.push(lengthOf(puts), lengthOf(entries), lengthOf(unique), lengthOf(counts));
  // Most of a change is about one record.
  let first: string | undefined;
  const packId = (id: string) => {
    values.push(textOf(id) === first ? null : id);
    first ??= id;
  };
  for (const { kind, id, version, value, due, indexes } of puts) {
    if (!KINDS.includes(kind)) throw new TypeError("A record is of a known kind.");
    values.push(KINDS.indexOf(kind));
    packId(id);
    values.push(version, value, due, lengthOf(indexes));
    if (indexes !== undefined) values.push(...indexes);
  }
  for (const { type, ref, content } of entries) {
    const usual = USUAL.indexOf(type);
    values.push(usual === -1 ? textOf(type) : usual);
    packId(ref);
    values.push(content);
  }
  for (const { key, id, until } of unique ?? []) {
    packId(id);
    values.push(key, until);
  }
  for (const { key, add, max, until } of counts ?? []) values.push(key, add, max, until);
}

function textOf(value: string): string {
  if (typeof value !== "string") throw new TypeError("A change has texts.");
  return value;
}

function lengthOf(list: readonly unknown[] | undefined): number {
  if (list === undefined) return 0;
  if (!Array.isArray(list)) throw new TypeError("A change has lists.");
  return list.length;
}

export function unpackGroup(values: Values): Change[] {
  const group: Change[] = [];
  let at = 0;
  let workspaceId = "";
  let first: string | undefined;
  const next = () => values[at++];
  const many = <T>(length: number, one: () => T): T[] => {
    const list: T[] = [];
    for (let index = 0; index < length; index++) list.push(one());
    return list;
  };
  const id = () => {
    const given: string = next() ?? first;
    first ??= given;
    return given;
  };
  const put = (): Put => {
    const kind = KINDS[next()] as Kind;
    return { kind, id: id(), version: next(), value: next(), due: next(), indexes: many(next(), next) };
  };
  const entry = (): NewEntry => {
    const type = next();
    return { type: typeof type === "number" ? (USUAL[type] as string) : type, ref: id(), content: next() };
  };
  while (at < values.length) {
    if (typeof values[at] !== "string") {
      group.push(next() as Change);
      continue;
    }
    const start = at;
    at += 11;
    first = undefined;
    workspaceId = values[start + 1] ?? workspaceId;
    group.push({
      changeId: values[start],
      workspaceId,
      before: values[start + 2],
      after: values[start + 3],
      epoch: values[start + 4],
      tighten: values[start + 5],
      paused: values[start + 6],
      puts: many(values[start + 7], put),
      entries: many(values[start + 8], entry),
      unique: many(values[start + 9], () => ({ id: id(), key: next(), until: next() })),
      counts: many(values[start + 10], () => ({ key: next(), add: next(), max: next(), until: next() })),
    });
  }
  return group;
}

/** Most changes are applied: three numbers each. A refusal travels as it is. */
export function packAnswers(answers: readonly Applied[]): Values {
  const values: Values = [];
  for (const answer of answers) {
    if (answer.ok) values.push(answer.time, answer.seq, answer.epoch);
    else values.push(answer);
  }
  return values;
}

export function unpackAnswers(values: Values): Applied[] {
  const answers: Applied[] = [];
  for (let at = 0; at < values.length; ) {
    if (typeof values[at] !== "number") answers.push(values[at++]);
    else answers.push({ ok: true, time: values[at++], seq: values[at++], epoch: values[at++] });
  }
  return answers;
}
