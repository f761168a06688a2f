import { selects } from "./postgres-condition.js";
import { PLAIN_STATEMENTS } from "./postgres-plain.js";
import { noteRights, noteSetting, noteTransaction } from "./postgres-session.js";
import { noteWrite, type PostgresContext, type Scope, strings, walk, walkSelect, walkWith } from "./postgres-tree.js";
import { StatementNotes, tableName } from "./statement.js";
import { list, type Tree, tagged, text, tree } from "./tree.js";

type Handler = (body: Tree, context: PostgresContext, scope: Scope) => void;

/** Notes what one statement, outermost or nested, does. A statement that no entry knows cannot be inspected. */
export function classify(node: unknown, context: PostgresContext, scope: Scope): void {
  const [type, body] = tagged(node);
  const handler = Object.hasOwn(HANDLERS, type) ? HANDLERS[type] : undefined;
  if (handler !== undefined) return handler(body, context, scope);
  const plain = Object.hasOwn(PLAIN_STATEMENTS, type) ? PLAIN_STATEMENTS[type] : undefined;
  if (plain === undefined) {
    context.notes.uninspectable(
      "unknown_statement",
      "This kind of statement is not known, so its effects are not either.",
    );
    return;
  }
  context.notes.name(plain.kind);
  if (plain.riskTier !== "R0") context.notes.add(plain.riskTier, plain.code, plain.text);
  if (plain.unseen === true) context.notes.inspectable = false;
  if (plain.writes === true) noteWrite(body.relation ?? body.view, context);
  walk(body, context, scope);
}

const HANDLERS: Readonly<Record<string, Handler>> = {
  SelectStmt(body, context, scope) {
    context.notes.name("select");
    walkSelect(body, context, scope);
  },
  InsertStmt: insert,
  UpdateStmt(body, context, outer) {
    const { relation, withClause, ...rest } = body;
    context.notes.name("update");
    noteWrite(relation, context);
    const scope = walkWith(withClause, context, outer);
    if (selects(body.whereClause, context)) {
      context.notes.hasWhere = true;
      context.notes.add("R3", "update_rows", "UPDATE overwrites the rows that its WHERE clause selects.");
    } else {
      context.notes.add("R4", "update_without_where", "UPDATE without a selecting WHERE clause overwrites every row.");
    }
    walk(rest, context, scope);
  },
  DeleteStmt(body, context, outer) {
    const { relation, withClause, ...rest } = body;
    context.notes.name("delete");
    noteWrite(relation, context);
    const scope = walkWith(withClause, context, outer);
    if (selects(body.whereClause, context)) {
      context.notes.hasWhere = true;
      context.notes.add("R4", "delete_rows", "DELETE removes the rows that its WHERE clause selects.");
    } else {
      context.notes.add("R4", "delete_without_where", "DELETE without a selecting WHERE clause removes every row.");
    }
    walk(rest, context, scope);
  },
  MergeStmt(body, context, outer) {
    const { relation, withClause, ...rest } = body;
    context.notes.name("merge");
    noteWrite(relation, context);
    const scope = walkWith(withClause, context, outer);
    const deletes = list(body.mergeWhenClauses).some(
      (clause) => tree(tree(clause).MergeWhenClause).commandType === "CMD_DELETE",
    );
    if (deletes) context.notes.add("R4", "merge_deletes", "MERGE removes rows.");
    else context.notes.add("R3", "merge_rows", "MERGE writes as many rows as its source has.");
    walk(rest, context, scope);
  },
  CopyStmt: copy,
  ExplainStmt(body, context, scope) {
    context.notes.name("explain");
    if (runs(body.options)) return classify(body.query, context, scope);
    const inner = new StatementNotes(context.notes.text);
    classify(body.query, { ...context, notes: inner }, scope);
    context.notes.planOnly(inner);
  },
  PrepareStmt(body, context, scope) {
    context.notes.name("prepare");
    const inner = new StatementNotes(context.notes.text);
    classify(body.query, { ...context, notes: inner }, scope);
    if (inner.statement().riskTier !== "R0") {
      context.notes.uninspectable("prepared_write", "A prepared statement that writes can be run later, unseen.");
    }
    walk(body.query, context, scope);
  },
  CreateTableAsStmt(body, context, scope) {
    context.notes.name("create_table_as");
    context.notes.add("R3", "create", "CREATE … AS fills a new table from a query.");
    noteWrite(tree(body.into).rel, context);
    walk(body.query, context, scope);
  },
  AlterTableStmt(body, context, scope) {
    context.notes.name("alter_table");
    noteWrite(body.relation, context);
    for (const entry of list(body.cmds)) {
      const command = text(tree(tree(entry).AlterTableCmd).subtype);
      if (KEEPS_DATA.has(command)) context.notes.add("R3", "alter", "ALTER changes the shape of a table.");
      else context.notes.add("R4", "alter_loses", "ALTER removes or rewrites part of a table.");
    }
    walk(body.cmds, context, scope);
  },
  DropStmt(body, context) {
    context.notes.name("drop");
    const what = text(body.removeType).replace("OBJECT_", "").replaceAll("_", " ");
    context.notes.add("R4", "drop", `DROP ${what} destroys what it names.`);
    if (!/^(TABLE|VIEW|MATVIEW|FOREIGN TABLE)$/.test(what)) return;
    for (const object of list(body.objects)) context.notes.writesTo(tableName(strings(tree(tree(object).List).items)));
  },
  TruncateStmt(body, context) {
    context.notes.name("truncate");
    context.notes.add("R4", "truncate", "TRUNCATE removes every row.");
    for (const relation of list(body.relations)) noteWrite(tree(relation).RangeVar, context);
  },
  VacuumStmt(body, context, scope) {
    const full = list(body.options).some((option) => tree(tree(option).DefElem).defname === "full");
    context.notes.name(body.is_vacuumcmd === true ? "vacuum" : "analyze");
    context.notes.add(full ? "R3" : "R2", "maintenance", "Maintenance takes locks and rewrites storage or statistics.");
    walk(body.rels, context, scope);
  },
  VariableSetStmt: noteSetting,
  TransactionStmt: noteTransaction,
  GrantStmt: noteRights,
  GrantRoleStmt: noteRights,
  CreateRoleStmt: noteRights,
  AlterRoleStmt: noteRights,
};

/** More rows than this in one INSERT is bulk. */
const MANY_ROWS = 100;

function insert(body: Tree, context: PostgresContext, outer: Scope): void {
  const { relation, withClause, ...rest } = body;
  const { notes } = context;
  notes.name("insert");
  noteWrite(relation, context);
  const scope = walkWith(withClause, context, outer);
  const rows = list(tree(tree(body.selectStmt).SelectStmt).valuesLists);
  notes.add("R2", "insert", "INSERT adds rows.");
  if (body.selectStmt !== undefined && rows.length === 0) {
    notes.add("R3", "insert_select", "INSERT … SELECT adds as many rows as its query returns.");
  }
  if (rows.length > MANY_ROWS) notes.add("R3", "insert_bulk", `INSERT adds ${rows.length} rows at once.`);
  if (tree(body.onConflictClause).action === "ONCONFLICT_UPDATE") {
    notes.add("R3", "upsert", "ON CONFLICT DO UPDATE overwrites rows that exist.");
  }
  walk(rest, context, scope);
}

function copy(body: Tree, context: PostgresContext, scope: Scope): void {
  const { notes } = context;
  notes.name("copy");
  if (body.is_program === true)
    notes.add("R4", "copy_program", "COPY … PROGRAM starts a program on the database server.");
  else if (body.is_from === true) notes.add("R3", "copy_from", "COPY … FROM loads rows in bulk.");
  else if (body.filename !== undefined)
    notes.add("R4", "copy_to_file", "COPY … TO writes a file on the database server.");
  else notes.add("R2", "copy_to", "COPY … TO STDOUT reads in bulk.");
  if (body.is_from === true) noteWrite(body.relation, context);
  walk(body, context, scope);
}

/** EXPLAIN runs its statement unless ANALYZE is absent or plainly off. */
function runs(options: unknown): boolean {
  return list(options).some((option) => {
    const { defname, arg } = tree(tree(option).DefElem);
    if (defname !== "analyze") return false;
    const [type, value] = tagged(arg);
    if (type === "String") return !/^(false|off)$/i.test(text(value.sval));
    return !(type === "Integer" && (value.ival ?? 0) === 0);
  });
}

/** ALTER TABLE commands after which every stored value is still there. */
const KEEPS_DATA: ReadonlySet<string> = new Set([
  "AT_AddColumn",
  "AT_AddConstraint",
  "AT_AddIndex",
  "AT_AddIndexConstraint",
  "AT_AddIdentity",
  "AT_AttachPartition",
  "AT_ChangeOwner",
  "AT_ClusterOn",
  "AT_ColumnDefault",
  "AT_CookedColumnDefault",
  "AT_DisableRowSecurity",
  "AT_DisableTrig",
  "AT_DisableTrigAll",
  "AT_DisableTrigUser",
  "AT_DropNotNull",
  "AT_EnableRowSecurity",
  "AT_EnableTrig",
  "AT_EnableTrigAll",
  "AT_EnableTrigUser",
  "AT_ForceRowSecurity",
  "AT_NoForceRowSecurity",
  "AT_SetNotNull",
  "AT_SetOptions",
  "AT_SetRelOptions",
  "AT_ResetRelOptions",
  "AT_SetStatistics",
  "AT_SetStorage",
  "AT_SetIdentity",
  "AT_ValidateConstraint",
]);
