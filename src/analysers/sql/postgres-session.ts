import type { PostgresContext } from "./postgres-tree.js";
import { list, type Tree, text, tree } from "./tree.js";

/** Settings that change whose rights are used, what a name means or which guards run. */
const RIGHTS_SETTINGS = new Set([
  "role",
  "session_authorization",
  "search_path",
  "row_security",
  "session_replication_role",
]);
/** Settings that change how the rest of the text is read, so that it was not read as it will run. */
const READING_SETTINGS = new Set(["standard_conforming_strings", "backslash_quote", "client_encoding", "names"]);

export function noteSetting(body: Tree, { notes }: PostgresContext): void {
  const name = text(body.name).toLowerCase();
  notes.name("set");
  if (READING_SETTINGS.has(name)) {
    notes.add("R4", "set_reading", `Setting ${name} changes how the text after it is read.`);
  } else if (RIGHTS_SETTINGS.has(name) || body.kind === "VAR_RESET_ALL") {
    notes.add("R3", "set_rights", "This setting changes whose rights are used, what names mean or which guards run.");
  } else if (name !== "transaction") {
    notes.add("R2", "set", "SET changes how the session behaves.");
  } else if (!list(body.args).every((option) => isReadOnly(option))) {
    notes.add("R1", "set", "SET TRANSACTION changes how the transaction behaves.");
  }
}

function isReadOnly(option: unknown): boolean {
  const { defname, arg } = tree(tree(option).DefElem);
  return defname === "transaction_read_only" && tree(tree(tree(arg).A_Const).ival).ival === 1;
}

export function noteTransaction(body: Tree, { notes }: PostgresContext): void {
  const kind = text(body.kind).replace("TRANS_STMT_", "").toLowerCase();
  notes.name(kind);
  if (/^(begin|start|savepoint|release)$/.test(kind)) return;
  if (/^(commit|rollback|rollback_to)$/.test(kind)) {
    notes.add("R1", "transaction_end", "This settles what the transaction has done so far.");
  } else {
    notes.add("R3", "prepared_transaction", "A prepared transaction outlives its session.");
  }
}

/** Roles and options that amount to owning the server. */
const POWERS = new Set(["superuser", "createrole", "bypassrls", "isreplication"]);
const POWER_ROLES =
  /^(postgres|rds_superuser|cloudsqlsuperuser|pg_(execute_server_program|read_server_files|write_server_files))$/;

export function noteRights(body: Tree, { notes }: PostgresContext): void {
  const grantsRole = "granted_roles" in body;
  notes.name(grantsRole || "objtype" in body ? (body.is_grant === true ? "grant" : "revoke") : "role");
  notes.add("R3", "rights", "This changes who may do what.");
  const powers = list(body.options).some((option) => {
    const { defname, arg } = tree(tree(option).DefElem);
    return POWERS.has(text(defname)) && tree(tree(arg).Boolean).boolval === true;
  });
  const roles = list(body.granted_roles).some((role) => POWER_ROLES.test(text(tree(tree(role).AccessPriv).priv_name)));
  if (powers || (body.is_grant === true && roles)) {
    notes.add("R4", "superuser", "This hands out rights over the whole server.");
  }
  const everyone = list(body.grantees).some((grantee) => tree(tree(grantee).RoleSpec).roletype === "ROLESPEC_PUBLIC");
  const wide = body.targtype === "ACL_TARGET_ALL_IN_SCHEMA" || list(body.privileges).length === 0;
  if (body.is_grant === true && "objtype" in body && (body.grant_option === true || (everyone && wide))) {
    notes.add("R4", "wide_grant", "This grant reaches everyone or can be passed on.");
  }
}
