import { randomInt } from "node:crypto";
import type { Account, ChannelName, Chat } from "../../channels/channel.js";
import { requireFresh } from "./authority.js";
import { type Context, change, notFound } from "./context.js";
import type { PersonPrincipal } from "./principal.js";
import { hashSecret, newPrefixedId } from "./secrets.js";

const CODE_LIVES = 10 * 60_000;
const CODE_LENGTH = 12;
/** Without 0/O, 1/I/L and U: typed on a phone without mistakes. 30^12 of them, for ten minutes and one use. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Said to the bot in a private chat it connects that account to the person who was given it. */
export interface AccountCode {
  readonly code: string;
  readonly expiresAt: number;
}

export interface AccountView {
  readonly accountId: string;
  readonly channel: ChannelName;
  readonly tenant: string;
  readonly platformId: string;
  readonly createdAt: number;
}

interface AccountRow {
  readonly id: string;
  readonly channel: ChannelName;
  readonly tenant: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly user_id: string;
  readonly chat_id: string;
  readonly created_at: number;
}

/**
 * Which chat account is whose. Only the person themselves connects one: signed in, they get a code; in a private chat with the
 * bot, the account that says it proves that it is theirs. One account stands for one person in a workspace.
 */
export class Accounts {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** A weakening: from then on a message in a chat can approve. */
  async createCode({ userId, workspaceId, session }: PersonPrincipal): Promise<AccountCode> {
    const { clock } = this.#context;
    const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
    const expiresAt = clock.now() + CODE_LIVES;
    await change(this.#context, async (queries) => {
      await requireFresh(queries, session, "account.linked", clock.now());
      await queries.run(
        "DELETE FROM identity_account_code WHERE user_id = ? AND workspace_id = ?",
        userId,
        workspaceId,
      );
      await queries.run(
        "INSERT INTO identity_account_code (code_hash, workspace_id, user_id, expires_at) VALUES (?, ?, ?, ?)",
        hashSecret(code),
        workspaceId,
        userId,
        expiresAt,
      );
    });
    return { code, expiresAt };
  }

  /** Connects the account that said the code. Undefined, and nothing changed, when the code does not hold. */
  async redeem(
    code: string,
    account: Account,
    chat: Chat,
  ): Promise<{ readonly userId: string; readonly workspaceId: string } | undefined> {
    const { clock, events } = this.#context;
    return change(this.#context, async (queries) => {
      const now = clock.now();
      const [spent] = await queries.run<{ workspace_id: string; user_id: string }>(
        `UPDATE identity_account_code SET used_at = ? WHERE code_hash = ? AND used_at IS NULL AND expires_at > ?
         RETURNING workspace_id, user_id`,
        now,
        hashSecret(code.toUpperCase().replaceAll("-", "")),
        now,
      );
      if (spent === undefined) return undefined;
      const { workspace_id, user_id } = spent;
      // Whoever it stood for before, it stands for this person now.
      await queries.run(
        `UPDATE identity_account SET revoked_at = ?
         WHERE channel = ? AND tenant = ? AND account_id = ? AND workspace_id = ? AND revoked_at IS NULL`,
        now,
        account.channel,
        account.tenant,
        account.id,
        workspace_id,
      );
      const id = newPrefixedId("acc");
      await queries.run(
        `INSERT INTO identity_account (id, channel, tenant, account_id, workspace_id, user_id, chat_id, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        account.channel,
        account.tenant,
        account.id,
        workspace_id,
        user_id,
        chat.id,
        now,
      );
      await events.add(queries, workspace_id, "account.linked", user_id, { accountId: id, channel: account.channel });
      return { userId: user_id, workspaceId: workspace_id };
    });
  }

  /** A person's own accounts. */
  async list({ userId, workspaceId }: PersonPrincipal): Promise<readonly AccountView[]> {
    const rows = await this.#live("workspace_id = ? AND user_id = ?", workspaceId, userId);
    return rows.map(({ id, channel, tenant, account_id, created_at }) => ({
      accountId: id,
      channel,
      tenant,
      platformId: account_id,
      createdAt: created_at,
    }));
  }

  /** From this moment on it decides nothing. */
  async unlink({ userId, workspaceId }: PersonPrincipal, accountId: string): Promise<void> {
    const { clock, events } = this.#context;
    await change(this.#context, async (queries) => {
      const [gone] = await queries.run<{ channel: string }>(
        `UPDATE identity_account SET revoked_at = ?
         WHERE id = ? AND workspace_id = ? AND user_id = ? AND revoked_at IS NULL RETURNING channel`,
        clock.now(),
        accountId,
        workspaceId,
        userId,
      );
      if (gone === undefined) throw notFound("account");
      await events.add(queries, workspaceId, "account.unlinked", userId, { accountId, channel: gone.channel });
    });
  }

  /** Whom an account stands for, in one workspace or in the one it was connected in last. */
  async owner(
    { channel, tenant, id }: Account,
    workspaceId?: string,
  ): Promise<{ readonly userId: string; readonly workspaceId: string } | undefined> {
    const rows = await this.#live("channel = ? AND tenant = ? AND account_id = ?", channel, tenant, id);
    const row = rows.findLast(({ workspace_id }) => workspaceId === undefined || workspace_id === workspaceId);
    return row && { userId: row.user_id, workspaceId: row.workspace_id };
  }

  /** All connected accounts of a workspace, in the order in which they were connected. */
  async inWorkspace(
    workspaceId: string,
  ): Promise<readonly { readonly userId: string; readonly account: Account; readonly chat: Chat }[]> {
    const rows = await this.#live("workspace_id = ?", workspaceId);
    return rows.map(({ channel, tenant, account_id, user_id, chat_id }) => ({
      userId: user_id,
      account: { channel, tenant, id: account_id },
      chat: { kind: "private", id: chat_id },
    }));
  }

  #live(where: string, ...values: readonly string[]): Promise<readonly AccountRow[]> {
    return this.#context.database.all<AccountRow>(
      `SELECT id, channel, tenant, account_id, workspace_id, user_id, chat_id, created_at FROM identity_account
       WHERE revoked_at IS NULL AND ${where} ORDER BY created_at, id`,
      ...values,
    );
  }
}
