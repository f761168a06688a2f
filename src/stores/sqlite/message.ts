import type { Applied, Change, Put } from "../../core/ports.js";

/*
 * How groups and answers travel between the threads. Copying objects, each with the names of its properties, takes several times
 * as long as one flat list of plain values: a name is left out because both sides know what comes next.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- what comes out at a place is what went in there; both sides stand below.
type Values = any[];

export function packGroup(group: readonly Change[]): Values {
  const values: Values = [];
  for (const change of group) {
    const start = values.length;
    try {
      packChange(change, values);
    } catch {
      // Not of the usual form: it travels as it is, and is refused where all of them are judged.
      values.length = start;
      values.push(change);
    }
  }
  return values;
}

function packChange(change: Change, values: Values): void {
  const { changeId, workspaceId, before, after, epoch, tighten, paused, puts, entries, unique, counts } = change;
  if (typeof changeId !== "string") throw new TypeError("A change begins with its id.");
  values.push(changeId, workspaceId, before, after, epoch, tighten, paused);
  values.push(lengthOf(puts), lengthOf(entries), lengthOf(unique), lengthOf(counts));
  for (const { kind, id, version, value, due, indexes } of puts) {
    values.push(kind, id, version, value, due, lengthOf(indexes));
    if (indexes !== undefined) values.push(...indexes);
  }
  for (const { type, ref, content } of entries) values.push(type, ref, content);
  for (const { key, id, until } of unique ?? []) values.push(key, id, until);
  for (const { key, add, max, until } of counts ?? []) values.push(key, add, max, until);
}

function lengthOf(list: readonly unknown[] | undefined): number {
  if (list === undefined) return 0;
  if (!Array.isArray(list)) throw new TypeError("A change has lists.");
  return list.length;
}

export function unpackGroup(values: Values): Change[] {
  const group: Change[] = [];
  let at = 0;
  const next = () => values[at++];
  const many = <T>(length: number, one: () => T): T[] => {
    const list: T[] = [];
    for (let index = 0; index < length; index++) list.push(one());
    return list;
  };
  const put = (): Put => {
    const kind = next();
    const id = next();
    const version = next();
    const value = next();
    const due = next();
    return { kind, id, version, value, due, indexes: many(next(), next) };
  };
  while (at < values.length) {
    if (typeof values[at] !== "string") group.push(next() as Change);
    else {
      const start = at;
      at += 11;
      const [puts, entries, unique, counts] = values.slice(start + 7, at);
      group.push({
        changeId: values[start],
        workspaceId: values[start + 1],
        before: values[start + 2],
        after: values[start + 3],
        epoch: values[start + 4],
        tighten: values[start + 5],
        paused: values[start + 6],
        puts: many(puts, put),
        entries: many(entries, () => ({ type: next(), ref: next(), content: next() })),
        unique: many(unique, () => ({ key: next(), id: next(), until: next() })),
        counts: many(counts, () => ({ key: next(), add: next(), max: next(), until: next() })),
      });
    }
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
