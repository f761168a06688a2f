import type { ColumnType } from "./column.js";
import { PINNED } from "./commit-function.js";

/**
 * One array each, in this order: what is wanted of workspaces, new records, replaced ones, keys that are taken and that are
 * freed, and counters; then the entries.
 */
export const WHOLE_COLUMNS = {
  ...{ workspaces: "text", epochs: "bigint", entriesEnd: "int" },
  ...{ newIds: "bytea", newKinds: '"char"', newValues: "text", newKeys: "text", newDues: "bigint" },
  ...{ ids: "bytea", kinds: '"char"', values: "text", keys: "text", dues: "bigint", versions: "bigint" },
  ...{ takenKeys: "text", takenIds: "text", takenUntils: "bigint", freedKeys: "text", freedIds: "text" },
  ...{ countKeys: "text", countAdds: "bigint", countRooms: "bigint", countUntils: "bigint" },
  ...{ types: "text", refs: "bytea", headers: "bytea", contents: "text", changes: "bytea", entryWorkspaces: "int" },
} as const satisfies Readonly<Record<string, ColumnType>>;
type Name = keyof typeof WHOLE_COLUMNS;

function parameterOf(name: string): string {
  return `p_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

/**
 * Arrays as rows: under these names, the parameter of that name each. In the list of a SELECT they are walked side by side;
 * `FROM unnest(a, b, …)` keeps every array in a store of its own first, which takes four times as long.
 */
function rowsOf(columns: { readonly [as: string]: Name }): string {
  const list = Object.entries(columns).map(([as, name]) => `unnest(${parameterOf(name)}) AS ${as}`);
  return `SELECT ${list.join()}`;
}

const NEW = { id: "newIds", kind: "newKinds", value: "newValues", keys: "newKeys", due: "newDues" } as const;
const MOVED = { id: "ids", kind: "kinds", value: "values", keys: "keys", due: "dues", version: "versions" } as const;
const TAKEN = { key: "takenKeys", id: "takenIds", until: "takenUntils" } as const;
const FREED = { key: "freedKeys", id: "freedIds" } as const;

/*
 * A whole group at once, where nothing stands in the way of any of its changes: the usual case. What the group wants of each
 * row has been put together by ./whole.ts, so that each table is read and written by one statement and nothing but the chain
 * is walked step by step. It gives NULL, and has written nothing, where a single condition does not hold; `commit_1` judges
 * such a group change by change.
 *
 * Rows are not locked before they are written, but for the heads. Workspaces share nothing but ids and keys; where two of them
 * meet at one, the later statement finds another row than was judged, or none, and the transaction fails without a trace.
 */
export const WHOLE_FUNCTION: string = `
CREATE FUNCTION @schema.commit_whole_2(
  p_now bigint, p_strict boolean, p_before bigint, p_after bigint, p_salts bytea,
  ${Object.entries(WHOLE_COLUMNS)
    .map(([name, type]) => `${parameterOf(name)} ${type}[]`)
    .join()}
) RETURNS json
LANGUAGE plpgsql SET search_path = @schema, pg_temp ${PINNED}
AS $function$
DECLARE
  head_n int[]; head_seq bigint[]; head_hash bytea[]; head_time bigint[]; head_epoch bigint[];
  -- What is added to the place of an entry in the group to get its place in the chain of its workspace.
  v_base bigint[];
  v_hashes bytea[]; v_hash bytea;
  v_tag bytea := convert_to(E'countersign/entry/v1\\n', 'UTF8');
  -- Keys that others hold, and that are set again; counters as they are, and as they will be.
  v_barred int; v_held int;
  v_was bigint[]; v_was_until bigint[]; v_sum bigint[]; v_refused boolean;
  v_clock bigint; v_time bigint; v_row record; v_at int := 0; v_rows bigint;
BEGIN
  -- Flushed before it is acknowledged, whatever the session says; a stronger setting stays.
  IF p_strict AND current_setting('synchronous_commit') <> 'remote_apply' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;

  -- 1. The heads, locked in order of their numbers, then the clock.
  FOR v_row IN SELECT * FROM workspace AS h WHERE h.id = ANY (p_workspaces) ORDER BY h.n FOR NO KEY UPDATE LOOP
    v_at := array_position(p_workspaces, v_row.id);
    head_n[v_at] := v_row.n; head_seq[v_at] := v_row.seq; head_hash[v_at] := v_row.hash; head_time[v_at] := v_row.time;
    head_epoch[v_at] := v_row.epoch;
  END LOOP;
  v_clock := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);

  -- 2. Every condition but the versions, and who holds the keys that are freed.
  FOR w IN 1..cardinality(p_workspaces) LOOP
    -- One moment for all: where the clock was set back, the times of two heads may differ.
    IF head_n[w] IS NULL OR p_epochs[w] <> head_epoch[w] OR greatest(v_clock, head_time[w]) <> v_time THEN RETURN NULL; END IF;
    v_time := greatest(v_clock, head_time[w]);
    v_base[w] := head_seq[w] - coalesce(p_entries_end[w - 1], 0);
  END LOOP;
  IF v_time >= p_before OR v_time < p_after THEN RETURN NULL; END IF;
  IF cardinality(p_taken_keys) > 0 THEN
    SELECT count(*) FILTER (WHERE h.id <> f.id AND h.until > v_time), count(*) INTO v_barred, v_held
      FROM (${rowsOf(TAKEN)}) AS f JOIN held AS h ON h.key = f.key;
    IF v_barred > 0 THEN RETURN NULL; END IF;
  END IF;
  IF cardinality(p_count_keys) > 0 THEN
    SELECT array_agg(f.was), array_agg(f.was_until), array_agg(f.value + f.add), bool_or(f.value > f.room OR f.until <= v_time)
      INTO v_was, v_was_until, v_sum, v_refused
      FROM (
        SELECT f.*, c.value AS was, c.until AS was_until, CASE WHEN c.until > v_time THEN c.value ELSE 0 END AS value
        FROM unnest(p_count_keys, p_count_adds, p_count_rooms, p_count_untils) AS f (key, add, room, until)
        LEFT JOIN counted AS c ON c.key = f.key
      ) AS f;
    IF v_refused THEN RETURN NULL; END IF;
  END IF;

  -- 3. What is written. Each replaced record is looked up once: its version is judged, the lists that it leaves and joins are
  -- found by what it still says, and it is written at the place where it was found, unless it has moved meanwhile.
  IF cardinality(p_ids) > 0 THEN
    WITH moved AS MATERIALIZED (
      SELECT r.ctid AS place, r.keys AS was, f.id, f.kind, f.value, f.keys::text[] AS now, f.due, f.version
      FROM (${rowsOf(MOVED)}) AS f JOIN record AS r ON r.id = f.id AND r.kind = f.kind AND r.version = f.version
    ), judged AS MATERIALIZED (
      SELECT count(*) < cardinality(p_ids) AS refused FROM moved
    ), gone AS MATERIALIZED (
      SELECT m.key, m.id, m.kind FROM (SELECT unnest(m.was) AS key, m.now, m.id, m.kind FROM moved AS m) AS m
      WHERE NOT (SELECT refused FROM judged) AND m.key <> ALL (coalesce(m.now, '{}'))
    ), removed AS (
      DELETE FROM listed AS l USING gone WHERE l.key = gone.key AND l.id = gone.id AND l.kind = gone.kind
    ), added AS (
      INSERT INTO listed (key, id, kind)
        SELECT m.key, m.id, m.kind FROM (SELECT unnest(m.now) AS key, m.was, m.id, m.kind FROM moved AS m) AS m
        WHERE NOT (SELECT refused FROM judged) AND m.key <> ALL (coalesce(m.was, '{}'))
    ), replaced AS (
      UPDATE record AS r SET version = m.version + 1, due = m.due, value = m.value, keys = m.now FROM moved AS m
        WHERE NOT (SELECT refused FROM judged) AND r.ctid = m.place AND r.version = m.version RETURNING 1
    )
    SELECT judged.refused, (SELECT count(*) FROM replaced) INTO v_refused, v_rows FROM judged;
    IF v_refused THEN RETURN NULL; END IF;
    IF v_rows <> cardinality(p_ids) THEN RAISE serialization_failure; END IF;
  END IF;
  IF cardinality(p_new_ids) > 0 THEN
    INSERT INTO listed (key, id, kind) SELECT unnest(f.keys::text[]), f.id, f.kind FROM (${rowsOf(NEW)}) AS f;
    INSERT INTO record (id, kind, version, due, value, keys)
      SELECT f.id, f.kind, 1, f.due, f.value, f.keys::text[] FROM (${rowsOf(NEW)}) AS f;
  END IF;
  IF cardinality(p_freed_keys) > 0 THEN
    DELETE FROM held AS h USING (${rowsOf(FREED)}) AS f WHERE h.key = f.key AND (h.id = f.id OR h.until <= v_time);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    -- One that was not there is free; one that is still there is another's.
    IF v_rows <> cardinality(p_freed_keys) AND EXISTS (SELECT FROM (${rowsOf(FREED)}) AS f JOIN held AS h ON h.key = f.key) THEN
      RAISE serialization_failure;
    END IF;
  END IF;
  IF v_held > 0 THEN
    UPDATE held AS h SET id = f.id, until = f.until FROM (${rowsOf(TAKEN)}) AS f
      WHERE h.key = f.key AND (h.id = f.id OR h.until <= v_time);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> v_held THEN RAISE serialization_failure; END IF;
  END IF;
  IF v_held < cardinality(p_taken_keys) THEN
    INSERT INTO held (key, id, until) SELECT f.key, f.id, f.until FROM (${rowsOf(TAKEN)}) AS f
      WHERE v_held = 0 OR NOT EXISTS (SELECT FROM held AS h WHERE h.key = f.key);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> cardinality(p_taken_keys) - v_held THEN RAISE serialization_failure; END IF;
  END IF;
  IF cardinality(p_count_keys) > 0 THEN
    WITH f AS MATERIALIZED (
      SELECT * FROM unnest(p_count_keys, p_count_untils, v_was, v_was_until, v_sum) AS f (key, until, was, was_until, sum)
    ), gone AS (
      DELETE FROM counted AS c USING f WHERE f.sum = 0 AND c.key = f.key AND c.value = f.was AND c.until = f.was_until RETURNING 1
    ), kept AS (
      UPDATE counted AS c SET value = f.sum, until = f.until FROM f
        WHERE f.sum <> 0 AND c.key = f.key AND c.value = f.was AND c.until = f.was_until RETURNING 1
    ), added AS (
      INSERT INTO counted (key, value, until) SELECT f.key, f.sum, f.until FROM f WHERE f.was IS NULL AND f.sum <> 0
    )
    SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM kept) INTO v_rows;
    IF v_rows <> cardinality(array_remove(v_was, NULL)) THEN RAISE serialization_failure; END IF;
  END IF;
  IF cardinality(p_types) > 0 THEN
    -- What each link hashes behind the one before it; then, in its place, the link.
    v_hashes := ARRAY(
      SELECT int8send(v_base[f.w] + f.i) || int8send(v_time) || f.header
        || sha256(substr(p_salts, f.i * 32 - 31, 32) || convert_to(f.content, 'UTF8'))
      FROM (
        ${rowsOf({ w: "entryWorkspaces", header: "headers", content: "contents" })}, generate_series(1, cardinality(p_types)) AS i
      ) AS f
    );
    FOR w IN 1..cardinality(p_workspaces) LOOP
      v_hash := head_hash[w];
      FOR e IN coalesce(p_entries_end[w - 1], 0) + 1..p_entries_end[w] LOOP
        v_hash := sha256(v_tag || v_hash || v_hashes[e]);
        v_hashes[e] := v_hash;
      END LOOP;
      head_hash[w] := v_hash;
    END LOOP;
    INSERT INTO entry (workspace, seq, time, change, ref, type, hash, salt, content)
      SELECT head_n[f.w], v_base[f.w] + f.i, v_time, f.change, f.ref, f.type, f.hash, substr(p_salts, f.i * 32 - 31, 32), f.content
      FROM (
        ${rowsOf({ w: "entryWorkspaces", change: "changes", ref: "refs", type: "types", content: "contents" })},
          unnest(v_hashes) AS hash, generate_series(1, cardinality(p_types)) AS i
      ) AS f;
    UPDATE workspace AS h SET seq = f.base + f.entries_end, hash = f.hash, time = v_time
      FROM unnest(head_n, v_base, p_entries_end, head_hash) AS f (n, base, entries_end, hash)
      WHERE h.n = f.n AND h.seq < f.base + f.entries_end;
  END IF;
  RETURN json_build_object('clock', v_clock, 'time', v_time, 'seq', head_seq, 'epoch', head_epoch);
END
$function$;
`;
