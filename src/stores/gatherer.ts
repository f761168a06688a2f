interface Asked<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 512;

/**
 * One trip to the server serves every question that is asked in the same turn of the event loop, and the same question asked
 * twice is asked once. Nothing is kept: each answer was read after its question was asked.
 */
export class Gatherer<Question, Answer> {
  readonly #keyOf: (question: Question) => string;
  readonly #fetch: (questions: readonly Question[]) => Promise<readonly Answer[]>;
  #waiting = new Map<string, { readonly question: Question; readonly asked: Asked<Answer>[] }>();

  constructor(
    keyOf: (question: Question) => string,
    fetch: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  ) {
    this.#keyOf = keyOf;
    this.#fetch = fetch;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) setImmediate(() => void this.#send());
      if (this.#waiting.size === MAX_BATCH) void this.#send();
      const key = this.#keyOf(question);
      const known = this.#waiting.get(key);
      if (known === undefined) this.#waiting.set(key, { question, asked: [{ resolve, reject }] });
      else known.asked.push({ resolve, reject });
    });
  }

  async #send(): Promise<void> {
    const waiting = [...this.#waiting.values()];
    this.#waiting = new Map();
    if (waiting.length === 0) return;
    try {
      const answers = await this.#fetch(waiting.map(({ question }) => question));
      for (const [index, { asked }] of waiting.entries())
        for (const { resolve } of asked) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { asked } of waiting) for (const { reject } of asked) reject(error);
    }
  }
}
