/*
 * Times are milliseconds of one clock, flags and times that may be missing are null, and every secret is the hex text of its
 * SHA-256. Rows of people, keys and devices are revoked and never deleted, because entries of the audit log speak of them;
 * only what is worthless once expired (challenges, proof ids, counters) is swept away.
 *
 * A migration that was released is never edited, whatever is wrong with it: its checksum is kept in the database.
 */
export interface Migration {
  readonly statements: readonly string[];
  /**
   * How many migrations the oldest release knows that still works once this one was applied. Releases first expand, and contract
   * one release later, so that two neighbouring ones can always run side by side.
   */
  readonly oldest: number;
}

export const MIGRATIONS: readonly Migration[] = [
  expanding(
    `CREATE TABLE identity_user (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT, webauthn_handle TEXT NOT NULL UNIQUE,
      created_at BIGINT NOT NULL, disabled_at BIGINT
    )`,
    `CREATE TABLE identity_workspace (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL)`,
    `CREATE TABLE identity_membership (
      workspace_id TEXT NOT NULL REFERENCES identity_workspace (id), user_id TEXT NOT NULL REFERENCES identity_user (id),
      role TEXT NOT NULL CHECK (role IN ('owner', 'approver', 'member', 'auditor')),
      wanted_role TEXT CHECK (wanted_role IN ('owner', 'approver', 'member', 'auditor')),
      created_at BIGINT NOT NULL, revoked_at BIGINT, PRIMARY KEY (workspace_id, user_id)
    )`,
    `CREATE INDEX identity_membership_user ON identity_membership (user_id)`,
    `CREATE TABLE identity_group (
      workspace_id TEXT NOT NULL REFERENCES identity_workspace (id), name TEXT NOT NULL, created_at BIGINT NOT NULL,
      PRIMARY KEY (workspace_id, name)
    )`,
    `CREATE TABLE identity_group_member (
      workspace_id TEXT NOT NULL, group_name TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES identity_user (id),
      PRIMARY KEY (workspace_id, group_name, user_id),
      FOREIGN KEY (workspace_id, group_name) REFERENCES identity_group (workspace_id, name) ON DELETE CASCADE
    )`,
    `CREATE TABLE identity_link (
      token_hash TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE, purpose TEXT NOT NULL CHECK (purpose IN ('sign_in', 'invitation')),
      user_id TEXT REFERENCES identity_user (id), workspace_id TEXT REFERENCES identity_workspace (id), role TEXT,
      created_by TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT, revoked_at BIGINT
    )`,
    `CREATE TABLE identity_session (
      id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES identity_user (id),
      kind TEXT NOT NULL CHECK (kind IN ('web', 'cli')), amr TEXT NOT NULL CHECK (amr IN ('link', 'passkey', 'device')),
      created_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL, idle_expires_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
      strong_auth_at BIGINT, revoked_at BIGINT
    )`,
    `CREATE INDEX identity_session_user ON identity_session (user_id)`,
    `CREATE TABLE identity_passkey (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES identity_user (id), credential_id TEXT NOT NULL UNIQUE,
      public_key TEXT NOT NULL, counter BIGINT NOT NULL, rp_id TEXT NOT NULL, aaguid TEXT NOT NULL, transports TEXT NOT NULL,
      backed_up BIGINT NOT NULL, label TEXT NOT NULL, created_at BIGINT NOT NULL, last_used_at BIGINT, revoked_at BIGINT
    )`,
    `CREATE INDEX identity_passkey_user ON identity_passkey (user_id)`,
    `CREATE TABLE identity_ceremony (
      challenge TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('register', 'sign_in', 'elevate', 'decide')),
      user_id TEXT, session_id TEXT, workspace_id TEXT, approval_id TEXT, tool_call_hash TEXT, decision TEXT, nonce TEXT,
      rp_id TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, used_at BIGINT
    )`,
    `CREATE TABLE identity_agent (
      id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES identity_workspace (id),
      owner_id TEXT NOT NULL REFERENCES identity_user (id), name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('agent', 'automation')), ceiling TEXT, scopes TEXT NOT NULL,
      devices TEXT NOT NULL CHECK (devices IN ('approved', 'none')), created_at BIGINT NOT NULL, revoked_at BIGINT
    )`,
    `CREATE INDEX identity_agent_workspace ON identity_agent (workspace_id)`,
    `CREATE TABLE identity_key (
      id TEXT PRIMARY KEY, agent_id TEXT NOT NULL REFERENCES identity_agent (id), hint TEXT NOT NULL,
      secret_hash TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, superseded_by TEXT,
      revoked_at BIGINT, last_used_at BIGINT, use_count BIGINT NOT NULL
    )`,
    `CREATE INDEX identity_key_agent ON identity_key (agent_id)`,
    `CREATE TABLE identity_device (
      id TEXT PRIMARY KEY, agent_id TEXT NOT NULL REFERENCES identity_agent (id), thumbprint TEXT NOT NULL, label TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'revoked')), requested_at BIGINT NOT NULL,
      decided_by TEXT, decided_at BIGINT, last_used_at BIGINT, UNIQUE (agent_id, thumbprint)
    )`,
    `CREATE TABLE identity_bound_token (
      token_hash TEXT PRIMARY KEY, key_id TEXT NOT NULL REFERENCES identity_key (id),
      device_id TEXT NOT NULL REFERENCES identity_device (id), expires_at BIGINT NOT NULL
    )`,
    `CREATE TABLE identity_cli_sign_in (
      id TEXT PRIMARY KEY, device_code_hash TEXT NOT NULL UNIQUE, user_code_hash TEXT NOT NULL UNIQUE, client TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'redeemed')), user_id TEXT,
      interval_ms BIGINT NOT NULL, next_poll_at BIGINT NOT NULL, expires_at BIGINT NOT NULL
    )`,
    `CREATE TABLE identity_seen_proof (id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL)`,
    `CREATE TABLE identity_counter (id TEXT PRIMARY KEY, value BIGINT NOT NULL, ends_at BIGINT NOT NULL)`,
    `CREATE TABLE identity_event (
      id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, at BIGINT NOT NULL, type TEXT NOT NULL, by_id TEXT NOT NULL,
      content TEXT NOT NULL
    )`,
  ),
  expanding(
    `CREATE TABLE identity_repeat (id TEXT PRIMARY KEY, content TEXT NOT NULL, answer TEXT, expires_at BIGINT NOT NULL)`,
    `CREATE TABLE identity_tool (
      workspace_id TEXT NOT NULL, agent_id TEXT NOT NULL REFERENCES identity_agent (id), name TEXT NOT NULL,
      definition TEXT NOT NULL, sequence BIGINT NOT NULL UNIQUE, PRIMARY KEY (workspace_id, agent_id, name)
    )`,
  ),
  expanding(
    `CREATE TABLE identity_account (
      id TEXT PRIMARY KEY, channel TEXT NOT NULL, tenant TEXT NOT NULL, account_id TEXT NOT NULL,
      workspace_id TEXT NOT NULL REFERENCES identity_workspace (id), user_id TEXT NOT NULL REFERENCES identity_user (id),
      chat_id TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT
    )`,
    `CREATE UNIQUE INDEX identity_account_live ON identity_account (channel, tenant, account_id, workspace_id)
     WHERE revoked_at IS NULL`,
    `CREATE INDEX identity_account_user ON identity_account (workspace_id, user_id)`,
    `CREATE TABLE identity_account_code (
      code_hash TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES identity_user (id),
      expires_at BIGINT NOT NULL, used_at BIGINT
    )`,
    `CREATE TABLE channel_delivery (
      id TEXT PRIMARY KEY, version BIGINT NOT NULL, told TEXT NOT NULL UNIQUE, approval_id TEXT NOT NULL, chat TEXT NOT NULL,
      is_open BIGINT NOT NULL, due_at BIGINT, expires_at BIGINT NOT NULL, content TEXT NOT NULL
    )`,
    `CREATE INDEX channel_delivery_approval ON channel_delivery (approval_id)`,
    `CREATE INDEX channel_delivery_chat ON channel_delivery (chat, is_open)`,
    `CREATE INDEX channel_delivery_due ON channel_delivery (due_at)`,
    `CREATE TABLE channel_seen (id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL)`,
    `CREATE TABLE channel_cursor (workspace_id TEXT PRIMARY KEY, seq BIGINT NOT NULL)`,
    `CREATE TABLE channel_session (id TEXT PRIMARY KEY, channel TEXT NOT NULL, kind TEXT NOT NULL, chat_id TEXT NOT NULL)`,
  ),
  expanding(
    `CREATE TABLE identity_presence (
      workspace_id TEXT NOT NULL, user_id TEXT NOT NULL, seen_until BIGINT NOT NULL, PRIMARY KEY (workspace_id, user_id)
    )`,
  ),
];

/** Adds and takes nothing away: every release so far goes on working. */
function expanding(...statements: readonly string[]): Migration {
  return { statements, oldest: 1 };
}
