/**
 * A tool's signal, made when the tool looks at it: most never do, and making one takes Node as long as encoding the whole
 * record. It aborts for its own reason or with the caller's signal, whichever comes first.
 */
export class LateAbort {
  readonly #caller: AbortSignal | undefined;
  #made: { readonly controller: AbortController; readonly signal: AbortSignal } | undefined;
  #reason: Error | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
  }

  get signal(): AbortSignal {
    this.#made ??= this.#make();
    return this.#made.signal;
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#made?.controller.abort(reason);
  }

  #make() {
    const controller = new AbortController();
    if (this.#reason !== undefined) controller.abort(this.#reason);
    const { signal } = controller;
    return { controller, signal: this.#caller === undefined ? signal : AbortSignal.any([signal, this.#caller]) };
  }
}
