/** Remembers things for a while; bounded, and never forgets early to make room. */
export class Memory<Value> {
  readonly #kept = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  recall(key: string, now: number): Value | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.until > now ? kept.value : undefined;
  }

  /** False when there is no room: what cannot be remembered cannot be told from a repetition. */
  keep(key: string, value: Value, until: number, now: number): boolean {
    for (const [old, kept] of this.#kept) {
      if (kept.until > now) break;
      this.#kept.delete(old);
    }
    if (this.#kept.size >= this.#limit) return false;
    this.#kept.set(key, { value, until });
    return true;
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }
}
