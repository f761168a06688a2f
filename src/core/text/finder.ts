/** A place in a text: from its first character to behind its last. */
export type Place = readonly [from: number, to: number];

const CODES = 65_536;

/**
 * Finds many texts at once, in time by the length of what is looked through, however many they are and whatever they share: a tree
 * of their beginnings, in which each beginning knows the longest other one that it ends with (Aho and Corasick).
 */
export class Finder {
  /** By a beginning and the character behind it: the longer beginning. */
  readonly #longer = new Map<number, number>();
  readonly #endsWith: number[] = [0];
  /** How long the longest text is that a beginning ends with; 0 where it ends with none. */
  readonly #found: number[] = [0];

  constructor(texts: Iterable<string>) {
    const before = [0];
    const behind = [0];
    const depth = [0];
    for (const text of texts) {
      let node = 0;
      for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        const known = this.#longer.get(node * CODES + code);
        const next = known ?? depth.length;
        if (known === undefined) {
          this.#longer.set(node * CODES + code, next);
          before.push(node);
          behind.push(code);
          depth.push(at + 1);
          this.#found.push(0);
          this.#endsWith.push(0);
        }
        node = next;
      }
      this.#found[node] = text.length;
    }
    // The shorter ones first: what a beginning ends with is shorter than itself.
    const order = [...depth.keys()].slice(1).sort((a, b) => (depth[a] ?? 0) - (depth[b] ?? 0));
    for (const node of order) {
      const shorter = before[node] ?? 0;
      const end = shorter === 0 ? 0 : this.#step(this.#endsWith[shorter] ?? 0, behind[node] ?? 0);
      this.#endsWith[node] = end;
      if (this.#found[node] === 0) this.#found[node] = this.#found[end] ?? 0;
    }
  }

  /** Where any of them stands, in order. Those that overlap are one place. */
  places(text: string): readonly Place[] {
    const places: Place[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      node = this.#step(node, text.charCodeAt(at));
      const length = this.#found[node] ?? 0;
      if (length > 0) add(places, at + 1 - length, at + 1);
    }
    return places;
  }

  /** The longest beginning that is stood at one character further on. */
  #step(from: number, code: number): number {
    for (let node = from; ; node = this.#endsWith[node] ?? 0) {
      const next = this.#longer.get(node * CODES + code);
      if (next !== undefined) return next;
      if (node === 0) return 0;
    }
  }
}

function add(places: Place[], from: number, to: number): void {
  let start = from;
  for (let last = places.at(-1); last !== undefined && last[1] > start; last = places.at(-1)) {
    start = Math.min(start, last[0]);
    places.pop();
  }
  places.push([start, to]);
}
