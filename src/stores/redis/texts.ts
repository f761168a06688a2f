import type { Head, Kind, StoredRecord } from "../../core/ports.js";
import type { Space } from "./keys.js";
import type { RecordLine } from "./rows.js";

/** A text in Redis: the line it is believed to begin with, and what becomes of it. */
export interface Text {
  readonly space: Space;
  readonly id: string;
  readonly was: string;
  line: string;
  /** The whole of it, null for one that goes, undefined for one that was only looked at. */
  row: string | null | undefined;
  /** Milliseconds after which Redis may sweep it away. */
  life: number | undefined;
}

export interface RecordText extends Text {
  readonly space: Kind;
  readonly before: RecordLine;
  after: RecordLine;
  /** What its mirror holds, where that is new. */
  mirrored: readonly string[] | undefined;
}

export interface CountText extends Text {
  /** What it comes to. Many changes of a group may count on the same one, so that only the last is put into a line. */
  count: { readonly value: number; readonly until: number } | undefined;
}

export interface Workspace {
  readonly text: Text;
  /** The head before the group, and behind the last change that was judged. */
  readonly start: Head;
  head: Head;
  /** Sequence numbers and rows in turn. */
  readonly entries: string[];
  /** What was judged holds for every time from the first of these to just before the second. */
  from: number;
  till: number;
}

/** A refusal tells the record that stands in the way; of one that this group has not written only Redis knows the value. */
export interface Wanted {
  readonly text: RecordText;
  readonly record: { -readonly [Field in keyof StoredRecord]: StoredRecord[Field] };
}
