/**
 * Does work by key, one at a time for each. Whoever asks while it is being done may have heard of something newer than what is being
 * read: they get the next one, which all who wait share. So an older answer never comes after a newer one.
 */
export function oneAtATime<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    const started = work(key).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
  return (key) => {
    const current = running.get(key);
    if (current === undefined) return start(key);
    const follow = () => {
      next.delete(key);
      return start(key);
    };
    const waiting = next.get(key) ?? current.then(follow, follow);
    next.set(key, waiting);
    return waiting;
  };
}
