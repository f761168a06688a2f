/*
 * One row of `workspace` is the head of one chain and the lock of everything a commit of that workspace decides. Rows are small
 * and append at the end: ids grow with time and are kept as bytes. `listed`, `held` and `counted` are what the port calls
 * indexes, unique keys and counts.
 *
 * A change is in its chain at most once, by an index: a commit whose reply was lost may be sent again, or arrive late, and
 * still leaves its entries only once.
 *
 * Texts compare byte by byte ("C"), whatever the language of the database: two keys that differ are never taken for one.
 */
export const TABLES: string = `
  CREATE TABLE workspace (
    n integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE,
    seq bigint NOT NULL, hash bytea NOT NULL, time bigint NOT NULL, epoch bigint NOT NULL, paused boolean NOT NULL
  ) WITH (fillfactor = 50);
  CREATE TABLE signed (workspace integer PRIMARY KEY REFERENCES workspace (n), checkpoint text NOT NULL);
  CREATE TABLE record (
    id bytea NOT NULL, kind "char" NOT NULL, version bigint NOT NULL, due bigint, value text NOT NULL, keys text[] COLLATE "C",
    PRIMARY KEY (id, kind)
  ) WITH (fillfactor = 90);
  CREATE INDEX record_due ON record (kind, due) WHERE due IS NOT NULL;
  CREATE TABLE listed (
    key text COLLATE "C" NOT NULL, id bytea NOT NULL, kind "char" NOT NULL, PRIMARY KEY (key, id, kind)
  );
  CREATE TABLE entry (
    workspace integer NOT NULL, seq bigint NOT NULL, time bigint NOT NULL, change bytea, ref bytea, type text NOT NULL,
    hash bytea NOT NULL, salt bytea, content text, erased bytea, PRIMARY KEY (workspace, seq)
  );
  CREATE UNIQUE INDEX entry_change ON entry (change, workspace) WHERE change IS NOT NULL;
  CREATE TABLE held (key text COLLATE "C" PRIMARY KEY, id text NOT NULL, until bigint NOT NULL) WITH (fillfactor = 70);
  CREATE TABLE counted (key text COLLATE "C" PRIMARY KEY, value bigint NOT NULL, until bigint NOT NULL) WITH (fillfactor = 50);
`;
