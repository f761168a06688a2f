import { createInterface } from "node:readline";

/** Gives the next line a person typed, or undefined when there will be none. */
export type NextLine = (prompt: string) => Promise<string | undefined>;

/**
 * Lines from a terminal. Each line has a reader of its own, so that between two of them nobody listens and a question about a
 * card gets its answer unshared.
 */
export function terminalLines(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): NextLine {
  return (prompt) =>
    new Promise((resolve) => {
      // Ctrl-D at a card's question ends the input for good, and a reader would wait for ever.
      if (!input.readable) return resolve(undefined);
      const reader = createInterface({ input, output, terminal: true });
      reader.once("close", () => resolve(undefined));
      reader.question(prompt, (line) => {
        resolve(line);
        reader.close();
      });
    });
}

/** Lines from a pipe or a file. */
export function pipedLines(input: NodeJS.ReadableStream): NextLine {
  const lines = createInterface({ input, terminal: false })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    return done === true ? undefined : value;
  };
}
