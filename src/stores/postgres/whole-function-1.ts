import { PINNED } from "./commit-function.js";

/** What `commit_whole_2` does, as instances of the release before call it. Dropped one release later. */
export const WHOLE_FUNCTION_1: string = `
CREATE FUNCTION @schema.commit_whole_1(
  p_now bigint, p_strict boolean, p_before bigint, p_after bigint, p_salts bytea,
  p_workspaces text[],p_epochs bigint[],p_entries_end int[],p_new_ids bytea[],p_new_kinds "char"[],p_new_values text[],p_new_keys text[],p_new_dues bigint[],p_ids bytea[],p_kinds "char"[],p_values text[],p_keys text[],p_dues bigint[],p_versions bigint[],p_unique_keys text[],p_unique_ids text[],p_unique_untils bigint[],p_count_keys text[],p_count_adds bigint[],p_count_rooms bigint[],p_count_untils bigint[],p_types text[],p_refs bytea[],p_contents text[],p_changes bytea[],p_entry_workspaces int[]
) RETURNS json
LANGUAGE plpgsql SET search_path = @schema, pg_temp ${PINNED}
AS $function$
DECLARE
  head_n int[]; head_seq bigint[]; head_hash bytea[]; head_time bigint[]; head_epoch bigint[];
  -- What is added to the place of an entry in the group to get its place in the chain of its workspace.
  v_base bigint[];
  v_hashes bytea[]; v_hash bytea;
  v_tag bytea := convert_to(E'countersign/entry/v1\\n', 'UTF8');
  -- Keys that stand in the way, that are set again, set and freed; counters as they are, and as they will be.
  v_taken int; v_held int; v_free int; v_freed int;
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

  -- 2. Every condition but the versions.
  FOR w IN 1..cardinality(p_workspaces) LOOP
    -- One moment for all: where the clock was set back, the times of two heads may differ.
    IF head_n[w] IS NULL OR p_epochs[w] <> head_epoch[w] OR greatest(v_clock, head_time[w]) <> v_time THEN RETURN NULL; END IF;
    v_time := greatest(v_clock, head_time[w]);
    v_base[w] := head_seq[w] - coalesce(p_entries_end[w - 1], 0);
  END LOOP;
  IF v_time >= p_before OR v_time < p_after THEN RETURN NULL; END IF;
  IF cardinality(p_unique_keys) > 0 THEN
    SELECT count(*) FILTER (WHERE h.id <> f.id AND h.until > v_time), count(*) FILTER (WHERE h.key IS NOT NULL AND f.until > 0),
      count(*) FILTER (WHERE h.key IS NULL AND f.until > 0), count(*) FILTER (WHERE h.key IS NOT NULL AND f.until <= 0)
      INTO v_taken, v_held, v_free, v_freed
      FROM unnest(p_unique_keys, p_unique_ids, p_unique_untils) AS f (key, id, until) LEFT JOIN held AS h ON h.key = f.key;
    IF v_taken > 0 THEN RETURN NULL; END IF;
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

  -- 3. What is written. Lists first: they are found by what the records still say. The versions are judged on the way.
  IF cardinality(p_new_ids) > 0 OR cardinality(p_ids) > 0 THEN
    WITH moved AS MATERIALIZED (
      SELECT r.id, r.kind, coalesce(r.keys, '{}') AS was, coalesce(f.keys::text[], '{}') AS now
      FROM unnest(p_ids, p_kinds, p_keys, p_versions) AS f (id, kind, keys, version)
      JOIN record AS r ON r.id = f.id AND r.kind = f.kind AND r.version = f.version
    ), judged AS MATERIALIZED (
      SELECT count(*) < cardinality(p_ids) AS refused FROM moved
    ), gone AS MATERIALIZED (
      SELECT k.key, m.id, m.kind FROM judged, moved AS m, unnest(m.was) AS k (key)
      WHERE NOT judged.refused AND k.key <> ALL (m.now)
    ), removed AS (
      DELETE FROM listed AS l USING gone WHERE l.key = gone.key AND l.id = gone.id AND l.kind = gone.kind
    ), added AS (
      INSERT INTO listed (key, id, kind)
        SELECT k.key, m.id, m.kind FROM judged, moved AS m, unnest(m.now) AS k (key)
        WHERE NOT judged.refused AND k.key <> ALL (m.was)
        UNION ALL
        SELECT k.key, f.id, f.kind
        FROM judged, unnest(p_new_ids, p_new_kinds, p_new_keys) AS f (id, kind, keys), unnest(f.keys::text[]) AS k (key)
        WHERE NOT judged.refused
    )
    SELECT judged.refused INTO v_refused FROM judged;
    IF v_refused THEN RETURN NULL; END IF;
  END IF;
  IF cardinality(p_new_ids) > 0 THEN
    INSERT INTO record (id, kind, version, due, value, keys)
      SELECT f.id, f.kind, 1, f.due, f.value, f.keys::text[]
      FROM unnest(p_new_ids, p_new_kinds, p_new_values, p_new_keys, p_new_dues) AS f (id, kind, value, keys, due);
  END IF;
  IF cardinality(p_ids) > 0 THEN
    UPDATE record AS r SET version = f.version + 1, due = f.due, value = f.value, keys = f.keys::text[]
      FROM unnest(p_ids, p_kinds, p_values, p_keys, p_dues, p_versions) AS f (id, kind, value, keys, due, version)
      WHERE r.id = f.id AND r.kind = f.kind AND r.version = f.version;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> cardinality(p_ids) THEN RAISE serialization_failure; END IF;
  END IF;
  IF v_freed > 0 THEN
    DELETE FROM held AS h USING unnest(p_unique_keys, p_unique_ids, p_unique_untils) AS f (key, id, until)
      WHERE f.until <= 0 AND h.key = f.key AND (h.id = f.id OR h.until <= v_time);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> v_freed THEN RAISE serialization_failure; END IF;
  END IF;
  IF v_held > 0 THEN
    UPDATE held AS h SET id = f.id, until = f.until FROM unnest(p_unique_keys, p_unique_ids, p_unique_untils) AS f (key, id, until)
      WHERE f.until > 0 AND h.key = f.key AND (h.id = f.id OR h.until <= v_time);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> v_held THEN RAISE serialization_failure; END IF;
  END IF;
  IF v_free > 0 THEN
    INSERT INTO held (key, id, until)
      SELECT f.key, f.id, f.until FROM unnest(p_unique_keys, p_unique_ids, p_unique_untils) AS f (key, id, until)
      WHERE f.until > 0 AND NOT EXISTS (SELECT FROM held AS h WHERE h.key = f.key);
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows <> v_free THEN RAISE serialization_failure; END IF;
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
      SELECT int8send(v_base[f.w] + f.i) || int8send(v_time) || int4send(length(f.header)) || f.header
        || sha256(substr(p_salts, f.i::int * 32 - 31, 32) || convert_to(f.content, 'UTF8'))
      FROM (
        SELECT f.w, f.i, f.content, convert_to(f.type, 'UTF8') || '\\x0a'::bytea || CASE
          WHEN f.ref IS NULL THEN ''::bytea
          WHEN get_byte(f.ref, 0) = 1 THEN convert_to(encode(substr(f.ref, 2), 'hex')::uuid::text, 'UTF8')
          ELSE substr(f.ref, 2) END AS header
        FROM unnest(p_entry_workspaces, p_types, p_refs, p_contents) WITH ORDINALITY AS f (w, type, ref, content, i)
        OFFSET 0
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
      SELECT head_n[f.w], v_base[f.w] + f.i, v_time, f.change, f.ref, f.type, f.hash, substr(p_salts, f.i::int * 32 - 31, 32), f.content
      FROM unnest(p_entry_workspaces, p_changes, p_refs, p_types, v_hashes, p_contents) WITH ORDINALITY
        AS f (w, change, ref, type, hash, content, i);
    UPDATE workspace AS h SET seq = f.base + f.entries_end, hash = f.hash, time = v_time
      FROM unnest(head_n, v_base, p_entries_end, head_hash) AS f (n, base, entries_end, hash)
      WHERE h.n = f.n AND h.seq < f.base + f.entries_end;
  END IF;
  RETURN json_build_object('clock', v_clock, 'time', v_time, 'seq', head_seq, 'epoch', head_epoch);
END
$function$;
`;
