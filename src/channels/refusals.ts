import { newId } from "../core/ids.js";
import type { ChannelName, RefusedCallback } from "./channel.js";
import type { DeskContext } from "./desk-context.js";

/** Entries a minute for each channel and reason: a flood of one kind becomes no flood of entries, and hides no other kind. */
const NOTED_PER_MINUTE = 30;

interface Window {
  readonly since: number;
  readonly noted: number;
  /** Refused and not written down since the last entry; the next one tells. */
  readonly leftOut: number;
}

const windows = new WeakMap<DeskContext, Map<string, Window>>();

/** One entry for each callback that was refused. */
export async function noteRefused(
  context: DeskContext,
  channel: ChannelName,
  why: RefusedCallback | "foreign_button",
): Promise<void> {
  const { gate, notice } = context;
  notice("channel.refused", { channel, why });
  const leftOut = countIn(context, `${channel}/${why}`);
  if (leftOut === undefined) return;
  await gate.note({
    eventId: newId(),
    workspaceId: gate.caller.workspaceId,
    type: "channel.refused",
    content: { channel, why, ...(leftOut > 0 ? { leftOut } : {}) },
    tightens: false,
  });
}

/** How many were left out before this one; undefined when this one is left out too. */
function countIn(context: DeskContext, kind: string): number | undefined {
  const now = context.clock.now();
  const kinds = windows.get(context) ?? new Map<string, Window>();
  windows.set(context, kinds);
  const before = kinds.get(kind) ?? { since: now, noted: 0, leftOut: 0 };
  const window = now - before.since < 60_000 ? before : { since: now, noted: 0, leftOut: before.leftOut };
  if (window.noted >= NOTED_PER_MINUTE) {
    kinds.set(kind, { ...window, leftOut: window.leftOut + 1 });
    return undefined;
  }
  kinds.set(kind, { since: window.since, noted: window.noted + 1, leftOut: 0 });
  return window.leftOut;
}
