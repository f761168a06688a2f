import type { RiskTier } from "../../core/risk.js";
import { selects } from "./sqlparser-condition.js";
import { noteGrant, noteRevoke, noteSet } from "./sqlparser-session.js";
import { noteWrite, parts, relations, type Scope, type SqlparserContext, walk, walkQuery } from "./sqlparser-tree.js";
import { StatementNotes } from "./statement.js";
import { list, type Tree, tagged, text, tree } from "./tree.js";

type Handler = (body: Tree, context: SqlparserContext, scope: Scope, raw: unknown) => void;

/** Notes what one statement, outermost or nested, does. A statement that no entry knows cannot be inspected. */
export function classify(node: unknown, context: SqlparserContext, scope: Scope): void {
  const [type, body, raw] = tagged(node);
  const handler = Object.hasOwn(HANDLERS, type) ? HANDLERS[type] : undefined;
  if (handler !== undefined) return handler(body, context, scope, raw);
  const plain = Object.hasOwn(PLAIN, type) ? PLAIN[type] : undefined;
  if (plain === undefined) {
    context.notes.uninspectable(
      "unknown_statement",
      "This kind of statement is not known, so its effects are not either.",
    );
    return;
  }
  const [kind, riskTier, code, sentence] = plain;
  context.notes.name(kind);
  if (riskTier !== "R0") context.notes.add(riskTier, code, sentence);
  if (code === "unseen_code") context.notes.inspectable = false;
  if (/^(create|alter|rename|truncate)/.test(kind)) noteWrite(body.name ?? body.table_name, context);
  walk(body, context, scope);
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  Query(body, context, scope) {
    context.notes.name("select");
    walkQuery(body, context, scope);
  },
  Insert: insert,
  Update(body, context, scope) {
    context.notes.name("update");
    for (const name of relations(body.table)) noteWrite(name, context);
    if (selects(body.selection, context)) {
      context.notes.hasWhere = true;
      context.notes.add("R3", "update_rows", "UPDATE overwrites the rows that its WHERE clause selects.");
    } else {
      context.notes.add("R4", "update_without_where", "UPDATE without a selecting WHERE clause overwrites every row.");
    }
    walk(body, context, scope);
  },
  Delete(body, context, scope) {
    context.notes.name("delete");
    const [, , from] = tagged(body.from);
    const named = list(body.tables);
    for (const name of named.length > 0 ? named : list(from).flatMap(relations)) noteWrite(name, context);
    if (selects(body.selection, context)) {
      context.notes.hasWhere = true;
      context.notes.add("R4", "delete_rows", "DELETE removes the rows that its WHERE clause selects.");
    } else {
      context.notes.add("R4", "delete_without_where", "DELETE without a selecting WHERE clause removes every row.");
    }
    walk(body, context, scope);
  },
  Truncate(body, context) {
    context.notes.name("truncate");
    context.notes.add("R4", "truncate", "TRUNCATE removes every row.");
    for (const table of list(body.table_names)) noteWrite(tree(table).name, context);
  },
  Drop(body, context) {
    const what = text(body.object_type).toUpperCase();
    context.notes.name("drop");
    context.notes.add("R4", "drop", `DROP ${what} destroys what it names.`.replace("  ", " "));
    if (what === "TABLE" || what === "VIEW") for (const name of list(body.names)) noteWrite(name, context);
  },
  AlterTable(body, context, scope) {
    context.notes.name("alter_table");
    noteWrite(body.name, context);
    for (const operation of list(body.operations)) {
      if (KEEPS_DATA.has(tagged(operation)[0])) context.notes.add("R3", "alter", "ALTER changes the shape of a table.");
      else context.notes.add("R4", "alter_loses", "ALTER removes or rewrites part of a table.");
    }
    walk(body.operations, context, scope);
  },
  CreateTable(body, context, scope) {
    context.notes.name("create_table");
    noteWrite(body.name, context);
    if (body.or_replace === true)
      context.notes.add("R4", "create_replace", "CREATE OR REPLACE destroys the table it replaces.");
    else context.notes.add("R3", "create", "CREATE adds an object to the database.");
    walk(body, context, scope);
  },
  Explain(body, context, scope) {
    context.notes.name("explain");
    if (body.analyze === true) return classify(body.statement, context, scope);
    const inner = new StatementNotes(context.notes.text);
    classify(body.statement, { ...context, notes: inner }, scope);
    context.notes.planOnly(inner);
  },
  ExplainTable(body, context) {
    context.notes.name("describe");
    context.notes.tables.add(parts(body.table_name).join("."));
  },
  StartTransaction(body, { notes }) {
    notes.name("begin");
    if (list(body.statements).length > 0)
      notes.uninspectable("unseen_code", "This block of statements is not inspected.");
  },
  Rollback: settle("rollback"),
  Commit: settle("commit"),
  Set: noteSet,
  Grant: noteGrant,
  Revoke: noteRevoke,
};

function settle(kind: string): Handler {
  return (_body, { notes }) => {
    notes.name(kind);
    notes.add("R1", "transaction_end", "This settles what the transaction has done so far.");
  };
}

const MANY_ROWS = 100;

function insert(body: Tree, context: SqlparserContext, scope: Scope): void {
  const { notes } = context;
  const [, , name] = tagged(body.table);
  notes.name("insert");
  noteWrite(name, context);
  notes.add("R2", "insert", "INSERT adds rows.");
  const [shape, values] = tagged(tree(body.source).body);
  const rows = list(values.rows).length;
  if (shape !== "" && shape !== "Values") {
    notes.add("R3", "insert_select", "INSERT … SELECT adds as many rows as its query returns.");
  }
  if (rows > MANY_ROWS) notes.add("R3", "insert_bulk", `INSERT adds ${rows} rows at once.`);
  const conflict = tagged(tree(tree(body.on).OnConflict).action)[0];
  const replaces = body.replace_into === true || text(body.or).toLowerCase() === "replace";
  if (replaces || conflict === "DoUpdate" || "DuplicateKeyUpdate" in tree(body.on)) {
    notes.add("R3", "upsert", "Rows that exist under the same key are overwritten.");
  }
  const { table: _table, ...rest } = body;
  walk(rest, context, scope);
}

/** ALTER TABLE operations after which every stored value is still there. */
const KEEPS_DATA = new Set([
  "AddColumn",
  "AddConstraint",
  "RenameTable",
  "RenameColumn",
  "RenameConstraint",
  "Algorithm",
  "Lock",
]);

type Plain = readonly [kind: string, riskTier: RiskTier, code: string, sentence: string];

const reads = (kind: string): Plain => [kind, "R0", "read", "Reads."];
const creates = (kind: string): Plain => [kind, "R3", "create", "CREATE adds an object to the database."];
const unseen = (kind: string): Plain => [
  kind,
  "R4",
  "unseen_code",
  "What this runs or stores is code that is not inspected.",
];
const locks = (kind: string): Plain => [kind, "R2", "session", "This changes the session or takes locks."];
const maintains = (kind: string): Plain => [
  kind,
  "R2",
  "maintenance",
  "Maintenance takes locks and rewrites storage or statistics.",
];

/** Statements whose tier does not depend on their content. */
const PLAIN: Readonly<Record<string, Plain>> = {
  ShowTables: reads("show"),
  ShowViews: reads("show"),
  ShowDatabases: reads("show"),
  ShowSchemas: reads("show"),
  ShowCreate: reads("show"),
  ShowColumns: reads("show"),
  ShowVariable: reads("show"),
  ShowVariables: reads("show"),
  ShowStatus: reads("show"),
  ShowCollation: reads("show"),
  ShowCharset: reads("show"),
  ShowFunctions: reads("show"),
  ShowProcessList: reads("show"),
  Savepoint: reads("savepoint"),
  ReleaseSavepoint: reads("release"),
  Use: ["use", "R1", "use", "USE changes which database names mean."],
  LockTables: locks("lock"),
  UnlockTables: locks("unlock"),
  Analyze: maintains("analyze"),
  Vacuum: maintains("vacuum"),
  CreateView: creates("create_view"),
  CreateIndex: creates("create_index"),
  CreateSchema: creates("create_schema"),
  CreateDatabase: creates("create_database"),
  RenameTable: ["rename", "R3", "alter", "This changes the name of an object."],
  AlterView: ["alter_view", "R3", "alter", "ALTER changes the definition of an object."],
  CreateUser: ["create_user", "R3", "rights", "This changes who may do what."],
  CreateRole: ["create_role", "R3", "rights", "This changes who may do what."],
  Merge: ["merge", "R4", "merge_rows", "MERGE writes or removes as many rows as its source has."],
  DropTrigger: ["drop", "R4", "drop", "DROP TRIGGER destroys what it names."],
  DropFunction: ["drop", "R4", "drop", "DROP FUNCTION destroys what it names."],
  DropProcedure: ["drop", "R4", "drop", "DROP PROCEDURE destroys what it names."],
  Kill: ["kill", "R4", "kill", "KILL stops another session."],
  Flush: ["flush", "R3", "flush", "FLUSH changes the running server."],
  AttachDatabase: ["attach", "R4", "attach", "ATTACH opens, and may create, another database file."],
  CreateVirtualTable: unseen("create_virtual_table"),
  CreateTrigger: unseen("create_trigger"),
  CreateFunction: unseen("create_function"),
  CreateProcedure: unseen("create_procedure"),
  Call: unseen("call"),
  Execute: unseen("execute"),
  Prepare: unseen("prepare"),
};
