import { PINNED } from "./commit-function.js";

/** The erasure's own entry, and what it takes away, under one lock and in one transaction. */
export const ERASE_FUNCTION: string = `
CREATE FUNCTION @schema.erase_1(
  p_now bigint, p_group json, p_salts bytea, p_strict boolean, p_seqs bigint[], p_ids bytea[], p_kinds "char"[]
) RETURNS json
LANGUAGE plpgsql SET search_path = @schema, pg_temp ${PINNED}
AS $function$
DECLARE
  v_applied json;
BEGIN
  v_applied := commit_1(p_now, p_group, p_salts, p_strict);
  IF v_applied -> 'refused' ->> 0 IS NOT NULL THEN RETURN v_applied; END IF;
  UPDATE entry AS e SET erased = sha256(e.salt || convert_to(e.content, 'UTF8')), salt = NULL, content = NULL
    FROM workspace AS w
    WHERE w.id = p_group -> 'workspaces' ->> 0 AND e.workspace = w.n AND e.seq = ANY (p_seqs)
      AND e.type <> 'content.erased' AND e.salt IS NOT NULL;
  DELETE FROM listed AS l USING unnest(p_ids, p_kinds) AS f (id, kind), record AS r, unnest(r.keys) AS k (key)
    WHERE r.id = f.id AND r.kind = f.kind AND l.key = k.key AND l.id = r.id AND l.kind = r.kind;
  DELETE FROM record AS r USING unnest(p_ids, p_kinds) AS f (id, kind) WHERE r.id = f.id AND r.kind = f.kind;
  RETURN v_applied;
END
$function$;
`;
