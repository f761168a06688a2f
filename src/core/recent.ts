/**
 * The last few of something, by name. The ones put last are forgotten last, half of all that are kept at a time: to find and
 * remove the very oldest at each step would take longer than everything else here.
 */
export class Recent<T> {
  readonly #half: number;
  #newer = new Map<string, T>();
  #older = new Map<string, T>();

  /** Keeps at least half of `most`, and never more. */
  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(name: string): T | undefined {
    return this.#newer.get(name) ?? this.#older.get(name);
  }

  put(name: string, value: T): void {
    if (this.#newer.size >= this.#half && !this.#newer.has(name)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(name, value);
  }

  delete(name: string): void {
    this.#newer.delete(name);
    this.#older.delete(name);
  }
}
