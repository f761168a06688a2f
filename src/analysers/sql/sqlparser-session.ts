import { parts, type Scope, type SqlparserContext, walk } from "./sqlparser-tree.js";
import { list, type Tree, tagged, text, tree } from "./tree.js";

/** Variables that change how the text after them is read. */
const READING = /sql_mode|character_set_client|collation_connection|sql_quote_show_create/;
/** Character sets in which a quote cannot be the second half of a character. */
const PLAIN_CHARSETS = /^(utf8|utf8mb3|utf8mb4|latin1|ascii|binary|default)$/i;

export function noteSet(body: Tree, context: SqlparserContext, scope: Scope): void {
  const { notes } = context;
  const [form, content] = tagged(body);
  notes.name("set");
  walk(body, context, scope);
  if (form === "SingleAssignment") return noteVariable(parts(content.variable), text(content.scope), context);
  if (form === "MultipleAssignments") {
    for (const assignment of list(content.assignments).map(tree)) {
      noteVariable(parts(assignment.name), text(assignment.scope), context);
    }
  } else if (form === "SetTransaction") {
    notes.add("R1", "set", "SET TRANSACTION changes how the transaction behaves.");
  } else if (form === "SetNames" && PLAIN_CHARSETS.test(text(tree(content.charset_name).value))) {
    notes.add("R2", "set", "SET changes how the session behaves.");
  } else if (form === "SetRole") {
    notes.add("R3", "set_rights", "SET ROLE changes whose rights are used.");
  } else {
    notes.add("R4", "set_reading", "This setting can change how the text after it is read.");
  }
}

function noteVariable(names: readonly string[], scope: string, { notes }: SqlparserContext): void {
  const name = names.join(".").toLowerCase();
  const global = /^(global|persist)/i.test(scope) || /^@@(global|persist)/.test(name);
  if (READING.test(name)) notes.add("R4", "set_reading", `Setting ${name} changes how the text after it is read.`);
  else if (global) notes.add("R4", "server_setting", "A global variable changes the whole server.");
  else if (name === "password") notes.add("R3", "rights", "This changes a password.");
  else if (name.startsWith("@") && !name.startsWith("@@"))
    notes.add("R1", "set_variable", "This sets a variable of the session.");
  else if (/^(@@)?(session\.|local\.)?(foreign_key_checks|unique_checks|sql_safe_updates|sql_log_bin)$/.test(name)) {
    notes.add("R3", "set_guards", `Setting ${name} changes which guards run.`);
  } else notes.add("R2", "set", "SET changes how the session behaves.");
}

/** Privileges this parser does not know, SUPER and FILE among them, never come here: their statement cannot be inspected. */
export function noteGrant(body: Tree, { notes }: SqlparserContext): void {
  notes.name("grant");
  notes.add("R3", "rights", "This changes who may do what.");
  const everywhere = list(tree(body.objects).Tables).some((table) => parts(table).join(".") === "*.*");
  if (everywhere || body.with_grant_option === true) {
    notes.add("R4", "wide_grant", "This grant reaches the whole server or can be passed on.");
  }
}

export function noteRevoke(_body: Tree, { notes }: SqlparserContext): void {
  notes.name("revoke");
  notes.add("R3", "rights", "This changes who may do what.");
}
