/** What was remembered last, up to a number; the oldest is forgotten first. */
export interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
}

const MOST = 2000;

export function recent<T>(): Recent<T> {
  const kept = new Map<string, T>();
  return {
    get: (key) => kept.get(key),
    delete: (key) => void kept.delete(key),
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    },
  };
}
