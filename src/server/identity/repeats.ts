import type { Context } from "./context.js";

/** What is known of a request that came with its key before. */
export type Repeat =
  | { readonly type: "new" }
  | { readonly type: "repeated"; readonly content: string; readonly answer: string | null };

/** Requests that may come again, by the hash of their key. One conditional write: of two at the same moment one is new. */
export class Repeats {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  async begin(id: string, content: string, expiresAt: number): Promise<Repeat> {
    const { database, clock } = this.#context;
    const [fresh] = await database.run(
      `INSERT INTO identity_repeat (id, content, answer, expires_at) VALUES (?, ?, NULL, ?)
       ON CONFLICT (id) DO UPDATE SET content = excluded.content, answer = NULL, expires_at = excluded.expires_at
       WHERE identity_repeat.expires_at <= ? RETURNING id`,
      id,
      content,
      expiresAt,
      clock.now(),
    );
    if (fresh !== undefined) return { type: "new" };
    const row = await database.get<{ content: string; answer: string | null }>(
      "SELECT content, answer FROM identity_repeat WHERE id = ?",
      id,
    );
    // The first was refused at this very moment: one of those who wait is the next.
    return row === undefined ? this.begin(id, content, expiresAt) : { type: "repeated", ...row };
  }

  async keep(id: string, answer: string): Promise<void> {
    await this.#context.database.run("UPDATE identity_repeat SET answer = ? WHERE id = ?", answer, id);
  }

  async forget(id: string): Promise<void> {
    await this.#context.database.run("DELETE FROM identity_repeat WHERE id = ? AND answer IS NULL", id);
  }
}
