/** Keys in order. Ids grow with time, so that adding is nearly always at the end. */
export class SortedKeys {
  readonly #keys: string[] = [];

  add(key: string): void {
    const at = this.#after(key);
    if (this.#keys[at - 1] !== key) this.#keys.splice(at, 0, key);
  }

  delete(key: string): void {
    const at = this.#after(key) - 1;
    if (this.#keys[at] === key) this.#keys.splice(at, 1);
  }

  /** Keys that sort after the given one. */
  after(key: string, limit: number): string[] {
    const from = key === "" ? 0 : this.#after(key);
    return this.#keys.slice(from, from + limit);
  }

  /** Keys that sort before the given one, the last one first; from the very end for "". */
  before(key: string, limit: number): string[] {
    const to = key === "" ? this.#keys.length : this.#after(key);
    const until = key !== "" && this.#keys[to - 1] === key ? to - 1 : to;
    return this.#keys.slice(Math.max(0, until - limit), until).reverse();
  }

  get size(): number {
    return this.#keys.length;
  }

  /** How many keys sort up to and with this one. */
  #after(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    if (high > 0 && (this.#keys[high - 1] as string) <= key) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
