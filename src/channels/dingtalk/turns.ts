/** Does what concerns one key in the order in which it was asked for, one thing after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = this.ended(key).then(work);
    const over = mine.catch(() => undefined);
    this.#last.set(key, over);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === over) this.#last.delete(key);
    }
  }

  /** Resolves once everything that was asked for so far has ended, well or not. */
  async ended(key: string): Promise<void> {
    await this.#last.get(key);
  }
}
