/*
 * A function that waits costs as much as a dozen that do not, and most of what a call is judged by is known: what is there is given
 * at once. Whoever asks awaits it only where it has yet to come.
 */

/** A value, or the promise of one. */
export type Soon<T> = T | Promise<T>;

/** Goes on with the value: at once where it is there. */
export function whenThere<T, Next>(soon: Soon<T>, goOn: (value: T) => Soon<Next>): Soon<Next> {
  return soon instanceof Promise ? soon.then(goOn) : goOn(soon);
}

/** What is read once for many: the promise of it, and from its end on the value itself. */
export class Reading<T> {
  #soon: Soon<T>;

  constructor(promise: Promise<T>) {
    this.#soon = promise;
    // That it failed is told to whoever asks.
    promise.then(
      (value) => this.#arrive(value),
      () => {},
    );
  }

  #arrive(value: T): T {
    this.#soon = value;
    return value;
  }

  get value(): Soon<T> {
    return this.#soon;
  }
}
