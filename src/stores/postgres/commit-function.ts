/*
 * A group of changes, judged and written by one call. It mirrors `applyChange` in ../apply.ts; the contract and the model are
 * run on both. The steps:
 *
 *   1. lock the heads in order of their numbers, then read the clock;
 *   2. lock and read every record, key and counter that the group names, each once, into arrays;
 *   3. judge and apply the changes one by one on those arrays, linking entries to the heads;
 *   4. write what came of it, a whole table at a time.
 *
 * Workspaces share nothing but ids and keys. Two of them that name the same one meet at its row's lock; where there is no row
 * yet, the second INSERT fails, the transaction leaves no trace, and the store tries again. That is why no statement here says
 * ON CONFLICT DO UPDATE.
 *
 * Planner settings are pinned: a plan made while the tables were empty must not become a scan of a million rows.
 */
export const PINNED: string = `
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
  SET plan_cache_mode = force_generic_plan`;

/** `@schema` stands for the schema's name. A released function is never edited: a new one gets a new number. */
export const COMMIT_FUNCTION: string = `
CREATE FUNCTION @schema.commit_1(p_now bigint, p_group json, p_salts bytea, p_strict boolean) RETURNS json
LANGUAGE plpgsql SET search_path = @schema, pg_temp ${PINNED}
AS $function$
DECLARE
  -- The group as it came: distinct names first, then one place per change, put, key and entry.
  in_workspaces text[]; in_kinds "char"[]; in_ids bytea[]; in_unique_keys text[]; in_count_keys text[];
  in_workspace int[]; in_change bytea[]; in_before bigint[]; in_after bigint[]; in_epoch bigint[];
  in_tighten boolean[]; in_paused boolean[]; in_puts_end int[]; in_uniques_end int[]; in_counts_end int[]; in_entries_end int[];
  in_put_record int[]; in_put_version bigint[]; in_put_value text[]; in_put_keys text[]; in_put_due bigint[];
  in_unique_key int[]; in_unique_id text[]; in_unique_until bigint[];
  in_count_key int[]; in_count_add bigint[]; in_count_max double precision[]; in_count_until bigint[];
  in_type text[]; in_ref bytea[]; in_content text[];
  -- The state of everything named, as it stands after the changes judged so far.
  head_n int[]; head_seq bigint[]; head_hash bytea[]; head_time bigint[]; head_epoch bigint[]; head_paused boolean[];
  head_changed boolean[];
  record_was bigint[]; record_version bigint[]; record_put int[];
  unique_was boolean[]; unique_id text[]; unique_until bigint[]; unique_changed boolean[]; unique_freed int[];
  count_was boolean[]; count_value bigint[]; count_until bigint[]; count_changed boolean[];
  -- What is answered, and the places entries got.
  out_refused text[]; out_time bigint[]; out_seq bigint[]; out_epoch bigint[]; out_at int[]; out_version bigint[]; out_put int[];
  out_holder text[]; out_values json;
  entry_seq bigint[]; entry_time bigint[]; entry_hash bytea[]; entry_workspace int[]; entry_change bytea[];
  v_clock bigint; v_time bigint; v_row record; v_w int; v_at int; v_holder text; v_value bigint; v_refused text;
  v_any_refused boolean := false; v_header bytea;
  v_listed boolean := false; v_new boolean := false; v_replaced boolean := false; v_removed boolean := false;
  n_changes int; n_entries int;
BEGIN
  -- Flushed before it is acknowledged, whatever the session says; a stronger setting stays.
  IF p_strict AND current_setting('synchronous_commit') <> 'remote_apply' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  SELECT g.* INTO in_workspaces, in_kinds, in_ids, in_unique_keys, in_count_keys,
    in_workspace, in_change, in_before, in_after, in_epoch, in_tighten, in_paused,
    in_puts_end, in_uniques_end, in_counts_end, in_entries_end,
    in_put_record, in_put_version, in_put_value, in_put_keys, in_put_due,
    in_unique_key, in_unique_id, in_unique_until,
    in_count_key, in_count_add, in_count_max, in_count_until,
    in_type, in_ref, in_content
  FROM json_to_record(p_group) AS g (
    workspaces text[], kinds "char"[], ids bytea[], "uniqueKeys" text[], "countKeys" text[],
    workspace int[], change bytea[], before bigint[], after bigint[], epoch bigint[], tighten boolean[], paused boolean[],
    "putsEnd" int[], "uniquesEnd" int[], "countsEnd" int[], "entriesEnd" int[],
    "putRecord" int[], "putVersion" bigint[], "putValue" text[], "putKeys" text[], "putDue" bigint[],
    "uniqueKey" int[], "uniqueId" text[], "uniqueUntil" bigint[],
    "countKey" int[], "countAdd" bigint[], "countMax" double precision[], "countUntil" bigint[],
    type text[], ref bytea[], content text[]
  );
  n_changes := cardinality(in_workspace);
  n_entries := cardinality(in_type);

  -- 1. The heads.
  head_changed := array_fill(false, ARRAY[cardinality(in_workspaces)]);
  LOOP
    v_at := 0;
    FOR v_row IN
      SELECT * FROM workspace AS h WHERE h.id = ANY (in_workspaces) ORDER BY h.n FOR NO KEY UPDATE
    LOOP
      v_w := array_position(in_workspaces, v_row.id);
      head_n[v_w] := v_row.n; head_seq[v_w] := v_row.seq; head_hash[v_w] := v_row.hash; head_time[v_w] := v_row.time;
      head_epoch[v_w] := v_row.epoch; head_paused[v_w] := v_row.paused;
      v_at := v_at + 1;
    END LOOP;
    EXIT WHEN v_at = cardinality(in_workspaces);
    -- A new head's number is higher than those that are locked already, so that the order holds.
    INSERT INTO workspace (id, seq, hash, time, epoch, paused)
      SELECT w.id, 0, sha256(convert_to(E'countersign/chain/v1\\n' || w.id, 'UTF8')), 0, 0, false
      FROM unnest(in_workspaces) AS w (id)
      WHERE NOT EXISTS (SELECT FROM workspace AS known WHERE known.id = w.id)
      ORDER BY w.id COLLATE "C"
      ON CONFLICT (id) DO NOTHING;
  END LOOP;
  v_clock := coalesce(p_now, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);

  -- 2. Everything the group names.
  record_was := array_fill(0::bigint, ARRAY[cardinality(in_ids)]);
  record_put := array_fill(0, ARRAY[cardinality(in_ids)]);
  IF cardinality(in_ids) > 0 THEN
    FOR v_row IN
      SELECT named.i, r.version FROM unnest(in_ids, in_kinds) WITH ORDINALITY AS named (id, kind, i)
      JOIN record AS r ON r.id = named.id AND r.kind = named.kind ORDER BY r.id, r.kind FOR UPDATE OF r
    LOOP
      record_was[v_row.i] := v_row.version;
    END LOOP;
  END IF;
  record_version := record_was;
  unique_was := array_fill(false, ARRAY[cardinality(in_unique_keys)]);
  unique_changed := unique_was;
  unique_until := array_fill(0::bigint, ARRAY[cardinality(in_unique_keys)]);
  unique_freed := array_fill(0, ARRAY[cardinality(in_unique_keys)]);
  unique_id := array_fill(''::text, ARRAY[cardinality(in_unique_keys)]);
  IF cardinality(in_unique_keys) > 0 THEN
    FOR v_row IN
      SELECT named.i, h.id, h.until FROM unnest(in_unique_keys) WITH ORDINALITY AS named (key, i)
      JOIN held AS h ON h.key = named.key ORDER BY h.key FOR UPDATE OF h
    LOOP
      unique_was[v_row.i] := true; unique_id[v_row.i] := v_row.id; unique_until[v_row.i] := v_row.until;
    END LOOP;
  END IF;
  count_was := array_fill(false, ARRAY[cardinality(in_count_keys)]);
  count_changed := count_was;
  count_value := array_fill(0::bigint, ARRAY[cardinality(in_count_keys)]);
  count_until := count_value;
  IF cardinality(in_count_keys) > 0 THEN
    FOR v_row IN
      SELECT named.i, c.value, c.until FROM unnest(in_count_keys) WITH ORDINALITY AS named (key, i)
      JOIN counted AS c ON c.key = named.key ORDER BY c.key FOR UPDATE OF c
    LOOP
      count_was[v_row.i] := true; count_value[v_row.i] := v_row.value; count_until[v_row.i] := v_row.until;
    END LOOP;
  END IF;

  -- 3. Each change in its turn: every condition first, so that a refused one leaves no trace.
  out_refused := array_fill(NULL::text, ARRAY[n_changes]);
  out_holder := out_refused;
  out_time := array_fill(0::bigint, ARRAY[n_changes]);
  out_seq := out_time; out_epoch := out_time; out_version := out_time;
  out_at := array_fill(0, ARRAY[n_changes]);
  out_put := out_at;
  entry_seq := array_fill(NULL::bigint, ARRAY[n_entries]);
  entry_time := entry_seq;
  entry_workspace := array_fill(NULL::int, ARRAY[n_entries]);
  entry_hash := array_fill(NULL::bytea, ARRAY[n_entries]);
  entry_change := entry_hash;
  FOR c IN 1..n_changes LOOP
    v_w := in_workspace[c];
    v_time := greatest(v_clock, head_time[v_w]);
    v_refused := NULL; v_at := 0; v_holder := NULL;
    IF v_time >= in_before[c] THEN v_refused := 'late';
    ELSIF v_time < in_after[c] THEN v_refused := 'early';
    ELSIF in_epoch[c] <> head_epoch[v_w] THEN v_refused := 'epoch';
    END IF;
    IF v_refused IS NULL THEN
      FOR u IN coalesce(in_uniques_end[c - 1], 0) + 1..in_uniques_end[c] LOOP
        v_at := in_unique_key[u];
        IF unique_freed[v_at] <> c AND unique_until[v_at] > v_time AND unique_id[v_at] <> in_unique_id[u] THEN
          v_refused := 'taken'; v_holder := unique_id[v_at];
          EXIT;
        END IF;
        IF in_unique_until[u] <= v_time THEN unique_freed[v_at] := c; END IF;
      END LOOP;
    END IF;
    IF v_refused IS NULL THEN
      FOR p IN coalesce(in_puts_end[c - 1], 0) + 1..in_puts_end[c] LOOP
        v_at := in_put_record[p];
        IF record_version[v_at] <> in_put_version[p] THEN
          v_refused := 'version'; out_version[c] := record_version[v_at]; out_put[c] := record_put[v_at];
          EXIT;
        END IF;
      END LOOP;
    END IF;
    IF v_refused IS NULL THEN
      FOR k IN coalesce(in_counts_end[c - 1], 0) + 1..in_counts_end[c] LOOP
        v_at := in_count_key[k];
        v_value := CASE WHEN count_until[v_at] <= v_time THEN 0 ELSE count_value[v_at] END;
        IF v_value + in_count_add[k] > in_count_max[k] THEN v_refused := 'limit'; EXIT; END IF;
      END LOOP;
    END IF;
    out_time[c] := v_time;
    IF v_refused IS NOT NULL THEN
      out_refused[c] := v_refused; out_epoch[c] := head_epoch[v_w]; out_at[c] := v_at; out_holder[c] := v_holder;
      v_any_refused := true;
      CONTINUE;
    END IF;

    FOR p IN coalesce(in_puts_end[c - 1], 0) + 1..in_puts_end[c] LOOP
      v_at := in_put_record[p];
      record_version[v_at] := CASE WHEN in_put_value[p] IS NULL THEN 0 ELSE in_put_version[p] + 1 END;
      record_put[v_at] := p;
    END LOOP;
    FOR u IN coalesce(in_uniques_end[c - 1], 0) + 1..in_uniques_end[c] LOOP
      v_at := in_unique_key[u];
      unique_id[v_at] := in_unique_id[u]; unique_until[v_at] := in_unique_until[u]; unique_changed[v_at] := true;
    END LOOP;
    FOR k IN coalesce(in_counts_end[c - 1], 0) + 1..in_counts_end[c] LOOP
      v_at := in_count_key[k];
      v_value := CASE WHEN count_until[v_at] <= v_time THEN 0 ELSE count_value[v_at] END;
      count_value[v_at] := v_value + in_count_add[k]; count_until[v_at] := in_count_until[k]; count_changed[v_at] := true;
    END LOOP;
    FOR e IN coalesce(in_entries_end[c - 1], 0) + 1..in_entries_end[c] LOOP
      v_header := convert_to(in_type[e], 'UTF8') || '\\x0a'::bytea || CASE
        WHEN in_ref[e] IS NULL THEN ''::bytea
        WHEN get_byte(in_ref[e], 0) = 1 THEN convert_to(encode(substr(in_ref[e], 2), 'hex')::uuid::text, 'UTF8')
        ELSE substr(in_ref[e], 2) END;
      head_seq[v_w] := head_seq[v_w] + 1;
      head_hash[v_w] := sha256(convert_to(E'countersign/entry/v1\\n', 'UTF8') || head_hash[v_w]
        || int8send(head_seq[v_w]) || int8send(v_time) || int4send(length(v_header)) || v_header
        || sha256(substr(p_salts, e * 32 - 31, 32) || convert_to(in_content[e], 'UTF8')));
      head_time[v_w] := v_time; head_changed[v_w] := true;
      entry_seq[e] := head_seq[v_w]; entry_time[e] := v_time; entry_hash[e] := head_hash[v_w]; entry_workspace[e] := head_n[v_w];
      IF e = in_entries_end[c] THEN entry_change[e] := in_change[c]; END IF;
    END LOOP;
    IF in_tighten[c] THEN head_epoch[v_w] := head_epoch[v_w] + 1; head_changed[v_w] := true; END IF;
    IF in_paused[c] <> head_paused[v_w] THEN head_paused[v_w] := in_paused[c]; head_changed[v_w] := true; END IF;
    out_seq[c] := head_seq[v_w]; out_epoch[c] := head_epoch[v_w];
  END LOOP;

  IF v_any_refused THEN
    -- What stands in the way of a refused put, where it was not put by this very group.
    SELECT json_object_agg(r.at, r.value) INTO out_values FROM (
      SELECT DISTINCT named.at, r.value FROM unnest(out_refused, out_at, out_put) AS named (refused, at, put)
      JOIN record AS r ON r.id = in_ids[named.at] AND r.kind = in_kinds[named.at]
      WHERE named.refused = 'version' AND named.put = 0
    ) AS r;
    -- A change may be refused because it was applied before, by an attempt whose reply was lost.
    FOR v_row IN
      SELECT named.i, e.seq, e.time FROM unnest(out_refused, in_change, in_workspace) WITH ORDINALITY AS named (refused, id, w, i)
      JOIN entry AS e ON e.change = named.id AND e.workspace = head_n[named.w] WHERE named.refused IS NOT NULL
    LOOP
      out_refused[v_row.i] := NULL; out_seq[v_row.i] := v_row.seq; out_time[v_row.i] := v_row.time;
    END LOOP;
  END IF;

  -- 4. What came of it, each table once and only if there is something to write. Lists first: they are found by what the
  -- records still say.
  FOR r IN 1..cardinality(in_ids) LOOP
    CONTINUE WHEN record_put[r] = 0;
    v_listed := v_listed OR in_put_keys[record_put[r]] IS NOT NULL;
    IF record_was[r] = 0 THEN v_new := v_new OR in_put_value[record_put[r]] IS NOT NULL;
    ELSIF in_put_value[record_put[r]] IS NULL THEN v_removed := true;
    ELSE v_replaced := true;
    END IF;
  END LOOP;
  IF v_replaced OR v_removed THEN
    WITH gone AS MATERIALIZED (
      SELECT k.key, old.id, old.kind
      FROM unnest(record_put) WITH ORDINALITY AS f (put, i), record AS old, unnest(old.keys) AS k (key)
      WHERE f.put > 0 AND record_was[f.i] > 0 AND old.id = in_ids[f.i] AND old.kind = in_kinds[f.i]
        AND (in_put_value[f.put] IS NULL OR k.key <> ALL (coalesce(in_put_keys[f.put], '{}')::text[]))
    )
    DELETE FROM listed AS l USING gone WHERE l.key = gone.key AND l.id = gone.id AND l.kind = gone.kind;
  END IF;
  IF v_listed THEN
    INSERT INTO listed (key, id, kind)
      SELECT k.key, in_ids[f.i], in_kinds[f.i]
      FROM unnest(record_put) WITH ORDINALITY AS f (put, i), unnest(in_put_keys[f.put]::text[]) AS k (key)
      WHERE f.put > 0 AND in_put_value[f.put] IS NOT NULL
      ON CONFLICT DO NOTHING;
  END IF;
  IF v_new THEN
    INSERT INTO record (id, kind, version, due, value, keys)
      SELECT in_ids[f.i], in_kinds[f.i], record_version[f.i], in_put_due[f.put], in_put_value[f.put], in_put_keys[f.put]::text[]
      FROM unnest(record_put) WITH ORDINALITY AS f (put, i)
      WHERE f.put > 0 AND record_was[f.i] = 0 AND in_put_value[f.put] IS NOT NULL;
  END IF;
  IF v_replaced THEN
    UPDATE record AS r
      SET version = record_version[f.i], due = in_put_due[f.put], value = in_put_value[f.put], keys = in_put_keys[f.put]::text[]
      FROM unnest(record_put) WITH ORDINALITY AS f (put, i)
      WHERE f.put > 0 AND record_was[f.i] > 0 AND in_put_value[f.put] IS NOT NULL
        AND r.id = in_ids[f.i] AND r.kind = in_kinds[f.i];
  END IF;
  IF v_removed THEN
    DELETE FROM record AS r USING unnest(record_put) WITH ORDINALITY AS f (put, i)
      WHERE f.put > 0 AND record_was[f.i] > 0 AND in_put_value[f.put] IS NULL
        AND r.id = in_ids[f.i] AND r.kind = in_kinds[f.i];
  END IF;
  v_new := false; v_replaced := false; v_removed := false;
  FOR u IN 1..cardinality(in_unique_keys) LOOP
    CONTINUE WHEN NOT unique_changed[u];
    IF NOT unique_was[u] THEN v_new := v_new OR unique_until[u] > 0;
    ELSIF unique_until[u] > 0 THEN v_replaced := true;
    ELSE v_removed := true;
    END IF;
  END LOOP;
  IF v_new THEN
    INSERT INTO held (key, id, until)
      SELECT in_unique_keys[f.i], unique_id[f.i], unique_until[f.i] FROM unnest(unique_changed) WITH ORDINALITY AS f (changed, i)
      WHERE f.changed AND NOT unique_was[f.i] AND unique_until[f.i] > 0;
  END IF;
  IF v_replaced THEN
    UPDATE held AS h SET id = unique_id[f.i], until = unique_until[f.i]
      FROM unnest(unique_changed) WITH ORDINALITY AS f (changed, i)
      WHERE f.changed AND unique_was[f.i] AND unique_until[f.i] > 0 AND h.key = in_unique_keys[f.i];
  END IF;
  IF v_removed THEN
    DELETE FROM held AS h USING unnest(unique_changed) WITH ORDINALITY AS f (changed, i)
      WHERE f.changed AND unique_was[f.i] AND unique_until[f.i] <= 0 AND h.key = in_unique_keys[f.i];
  END IF;
  v_new := false; v_replaced := false; v_removed := false;
  FOR k IN 1..cardinality(in_count_keys) LOOP
    CONTINUE WHEN NOT count_changed[k];
    IF NOT count_was[k] THEN v_new := v_new OR count_value[k] <> 0;
    ELSIF count_value[k] <> 0 THEN v_replaced := true;
    ELSE v_removed := true;
    END IF;
  END LOOP;
  IF v_new THEN
    INSERT INTO counted (key, value, until)
      SELECT in_count_keys[f.i], count_value[f.i], count_until[f.i] FROM unnest(count_changed) WITH ORDINALITY AS f (changed, i)
      WHERE f.changed AND NOT count_was[f.i] AND count_value[f.i] <> 0;
  END IF;
  IF v_replaced THEN
    UPDATE counted AS k SET value = count_value[f.i], until = count_until[f.i]
      FROM unnest(count_changed) WITH ORDINALITY AS f (changed, i)
      WHERE f.changed AND count_was[f.i] AND count_value[f.i] <> 0 AND k.key = in_count_keys[f.i];
  END IF;
  IF v_removed THEN
    DELETE FROM counted AS k USING unnest(count_changed) WITH ORDINALITY AS f (changed, i)
      WHERE f.changed AND count_was[f.i] AND count_value[f.i] = 0 AND k.key = in_count_keys[f.i];
  END IF;
  IF n_entries > 0 THEN
    INSERT INTO entry (workspace, seq, time, change, ref, type, hash, salt, content)
      SELECT f.workspace, f.seq, entry_time[f.i], entry_change[f.i], in_ref[f.i], in_type[f.i], entry_hash[f.i],
        substr(p_salts, f.i::int * 32 - 31, 32), in_content[f.i]
      FROM unnest(entry_workspace, entry_seq) WITH ORDINALITY AS f (workspace, seq, i)
      WHERE f.seq IS NOT NULL;
  END IF;
  IF true = ANY (head_changed) THEN
    UPDATE workspace AS h SET seq = head_seq[f.i], hash = head_hash[f.i], time = head_time[f.i], epoch = head_epoch[f.i],
        paused = head_paused[f.i]
      FROM unnest(head_changed) WITH ORDINALITY AS f (changed, i) WHERE f.changed AND h.n = head_n[f.i];
  END IF;
  RETURN json_build_object('clock', v_clock, 'refused', out_refused, 'time', out_time, 'seq', out_seq, 'epoch', out_epoch,
    'at', out_at, 'version', out_version, 'put', out_put, 'holder', out_holder, 'values', out_values);
END
$function$;
`;
