/** The last few of something, by name. The one put last is forgotten last. */
export class Recent<T> {
  readonly #most: number;
  readonly #kept = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    return this.#kept.get(name);
  }

  put(name: string, value: T): void {
    this.#kept.delete(name);
    this.#kept.set(name, value);
    if (this.#kept.size <= this.#most) return;
    const [oldest = ""] = this.#kept.keys();
    this.#kept.delete(oldest);
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }
}
