import type { RiskTier } from "../../core/risk.js";

/** A statement whose tier does not depend on its content. */
export interface PlainStatement {
  readonly kind: string;
  readonly riskTier: RiskTier;
  readonly code: string;
  readonly text: string;
  /** What it runs or stores is not in the tree. */
  readonly unseen?: true;
  readonly writes?: true;
}

type Entry = readonly [type: string, kind: string];
type Traits = Pick<PlainStatement, "unseen" | "writes">;

function group(riskTier: RiskTier, code: string, text: string, entries: readonly Entry[], traits: Traits = {}) {
  return entries.map(([type, kind]) => [type, { kind, riskTier, code, text, ...traits }] as const);
}

/** Statements whose tier does not depend on their content, by the parser's name for them. */
export const PLAIN_STATEMENTS: Readonly<Record<string, PlainStatement>> = Object.fromEntries([
  ...group("R0", "read", "Reads.", [
    ["VariableShowStmt", "show"],
    ["DeclareCursorStmt", "declare"],
    ["FetchStmt", "fetch"],
    ["ClosePortalStmt", "close"],
    ["DeallocateStmt", "deallocate"],
  ]),
  ...group("R1", "listen", "The session starts or stops listening for notices.", [
    ["ListenStmt", "listen"],
    ["UnlistenStmt", "unlisten"],
  ]),
  ...group("R2", "session", "This changes the session or takes locks.", [
    ["LockStmt", "lock"],
    ["DiscardStmt", "discard"],
    ["ConstraintsSetStmt", "set_constraints"],
  ]),
  ...group("R2", "maintenance", "Maintenance takes locks and rewrites storage or statistics.", [
    ["ReindexStmt", "reindex"],
    ["ClusterStmt", "cluster"],
    ["CheckPointStmt", "checkpoint"],
    ["RefreshMatViewStmt", "refresh"],
  ]),
  ...group("R2", "comment", "This changes a description in the catalogue.", [["CommentStmt", "comment"]]),
  ...group("R3", "notify", "NOTIFY sends a notice to other sessions.", [["NotifyStmt", "notify"]]),
  ...group(
    "R3",
    "create",
    "CREATE adds an object to the database.",
    [
      ["CreateStmt", "create_table"],
      ["ViewStmt", "create_view"],
      ["IndexStmt", "create_index"],
      ["CreateSchemaStmt", "create_schema"],
      ["CreateSeqStmt", "create_sequence"],
      ["CreateEnumStmt", "create_type"],
      ["CompositeTypeStmt", "create_type"],
      ["CreateRangeStmt", "create_type"],
      ["CreateDomainStmt", "create_domain"],
      ["CreateStatsStmt", "create_statistics"],
      ["CreatedbStmt", "create_database"],
    ],
    { writes: true },
  ),
  ...group(
    "R3",
    "alter",
    "This changes the definition of an object.",
    [
      ["RenameStmt", "rename"],
      ["AlterObjectSchemaStmt", "alter"],
      ["AlterSeqStmt", "alter_sequence"],
      ["AlterEnumStmt", "alter_type"],
      ["AlterStatsStmt", "alter"],
      ["AlterDatabaseStmt", "alter_database"],
      ["AlterDatabaseSetStmt", "alter_database"],
    ],
    { writes: true },
  ),
  ...group("R3", "rights", "This changes who may do what.", [
    ["AlterOwnerStmt", "alter_owner"],
    ["AlterRoleSetStmt", "alter_role"],
    ["CreatePolicyStmt", "create_policy"],
    ["AlterPolicyStmt", "alter_policy"],
    ["AlterDefaultPrivilegesStmt", "alter_privileges"],
    ["SecLabelStmt", "security_label"],
  ]),
  ...group("R3", "foreign", "This connects the database with another system.", [
    ["CreateFdwStmt", "create_foreign"],
    ["CreateForeignServerStmt", "create_foreign"],
    ["CreateForeignTableStmt", "create_foreign"],
    ["CreateUserMappingStmt", "create_foreign"],
    ["AlterForeignServerStmt", "alter_foreign"],
    ["AlterUserMappingStmt", "alter_foreign"],
    ["ImportForeignSchemaStmt", "import_foreign"],
    ["CreatePublicationStmt", "create_publication"],
    ["AlterPublicationStmt", "alter_publication"],
    ["CreateSubscriptionStmt", "create_subscription"],
    ["AlterSubscriptionStmt", "alter_subscription"],
  ]),
  ...group("R4", "drop", "DROP destroys what it names.", [
    ["DropdbStmt", "drop_database"],
    ["DropRoleStmt", "drop_role"],
    ["DropOwnedStmt", "drop_owned"],
    ["DropTableSpaceStmt", "drop_tablespace"],
    ["DropUserMappingStmt", "drop_foreign"],
    ["DropSubscriptionStmt", "drop_subscription"],
    ["ReassignOwnedStmt", "reassign_owned"],
  ]),
  ...group("R4", "server_setting", "ALTER SYSTEM changes the whole server.", [["AlterSystemStmt", "alter_system"]]),
  ...group(
    "R4",
    "unseen_code",
    "What this runs or stores is code that is not inspected.",
    [
      ["DoStmt", "do"],
      ["CallStmt", "call"],
      ["ExecuteStmt", "execute"],
      ["LoadStmt", "load"],
      ["CreateFunctionStmt", "create_function"],
      ["CreateTrigStmt", "create_trigger"],
      ["CreateEventTrigStmt", "create_trigger"],
      ["RuleStmt", "create_rule"],
      ["CreateExtensionStmt", "create_extension"],
      ["CreatePLangStmt", "create_language"],
    ],
    { unseen: true },
  ),
]);
