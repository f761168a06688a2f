import type { Card } from "../core/card/card.js";
import { atLeast } from "../core/risk.js";
import type { Shown } from "../core/text/shown.js";
import { paint } from "../core/text/terminal.js";
import { type Words, wordsIn } from "../core/words/words.js";
import { renderCardText } from "./render.js";

export interface ConfirmOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Whether a person sits at both ends. Without one the answer is no. */
  readonly isTTY: boolean;
  readonly width?: number;
  readonly colour?: boolean;
  /** Further words a person may answer with, each with what it is for, such as `e` for edit; they decide nothing. */
  readonly offers?: Readonly<Record<string, Shown>>;
  /** Milliseconds before the question appears; what is typed until then was not an answer to it. */
  readonly settle?: number;
}

export type Answer =
  | { readonly type: "approve" }
  | { readonly type: "deny"; readonly why: "answered" | "ended" | "no_terminal" }
  | { readonly type: "offer"; readonly word: string };

/** Long enough for keys typed ahead to arrive and be thrown away. */
const SETTLE = 400;
/** No answer is longer; more is noise or an attempt to fill memory. */
const LONGEST_ANSWER = 256;

/**
 * Shows the card and asks. Only the whole word that the question names is a yes: not Enter, not an unknown word, not the end of
 * the input, not a pipe. What leaves the system takes a whole word, what cannot be undone its count or its code.
 */
export async function confirmAtTerminal(card: Card, options: ConfirmOptions): Promise<Answer> {
  const { input, output, isTTY, offers = {}, colour = false, width = 80 } = options;
  const words = wordsIn(card.locale);
  output.write(renderCardText(card, { width, colour }));
  if (!isTTY || isEnded(input)) {
    const told = isTTY ? words.noAnswer : words.noTerminal;
    output.write(`${paint([told], { colour })}\n`);
    return { type: "deny", why: isTTY ? "ended" : "no_terminal" };
  }
  await discard(input, options.settle ?? SETTLE);
  for (const offer of Object.values(offers)) output.write(`${paint([{ text: offer, style: "muted" }], { colour })}\n`);
  output.write(`${paint([{ text: questionFor(card, words), style: "bold" }], { colour })} `);
  const line = await readLine(input);
  if (line === undefined) {
    output.write(`\n${paint([words.noAnswer], { colour })}\n`);
    return { type: "deny", why: "ended" };
  }
  const said = line.trim().toLowerCase();
  if (yesFor(card, words).includes(said)) return { type: "approve" };
  return Object.hasOwn(offers, said) ? { type: "offer", word: said } : { type: "deny", why: "answered" };
}

function questionFor(card: Card, words: Words): Shown {
  if (card.riskTier === "R4") {
    const count = countOf(card);
    return count === undefined ? words.askCode(card.code) : words.askCountOrCode(count, card.code);
  }
  return atLeast(card.riskTier, "R3") ? words.askFullYes : words.askYes;
}

function yesFor(card: Card, words: Words): readonly string[] {
  if (card.riskTier === "R4") {
    const count = countOf(card);
    return [card.code.toLowerCase(), ...(count === undefined ? [] : [String(count)])];
  }
  return atLeast(card.riskTier, "R3") ? words.fullYes : words.yes;
}

/** The largest of the counts that were shown; nothing to count means the code. */
function countOf(card: Card): number | undefined {
  const count = Math.max(0, ...card.effects.map((effect) => effect.count));
  return count > 0 ? count : undefined;
}

/** Asks for a line of text that decides nothing; undefined when there will be none. */
export async function askLine(
  question: Shown,
  { input, output }: Pick<ConfirmOptions, "input" | "output">,
): Promise<string | undefined> {
  output.write(`${paint([question], { colour: false })} `);
  return (await readLine(input))?.trim();
}

/** Whether nothing will ever come from it again. A terminal ends so at Ctrl-D. */
export function isEnded(input: NodeJS.ReadableStream): boolean {
  const { readableEnded, destroyed } = input as { readableEnded?: boolean; destroyed?: boolean };
  return readableEnded === true || destroyed === true || !input.readable;
}

async function discard(input: NodeJS.ReadableStream, time: number): Promise<void> {
  const ignore = () => {};
  input.on("data", ignore);
  await new Promise((resolve) => {
    setTimeout(resolve, time);
  });
  input.off("data", ignore);
  input.pause();
}

/** One line, or undefined when the input ends, fails or will not stop. What follows the line is thrown away. */
function readLine(input: NodeJS.ReadableStream): Promise<string | undefined> {
  if (isEnded(input)) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const decoder = new TextDecoder();
    let text = "";
    const done = (line: string | undefined) => {
      input.off("data", onData);
      for (const event of ["end", "close", "error"]) input.off(event, onEnd);
      input.pause();
      resolve(line);
    };
    const onEnd = () => done(undefined);
    const onData = (chunk: Buffer | string) => {
      text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      const end = /[\r\n]/.exec(text);
      if (end !== null) done(text.slice(0, end.index));
      else if (text.length > LONGEST_ANSWER) done(undefined);
    };
    input.on("data", onData);
    for (const event of ["end", "close", "error"]) input.on(event, onEnd);
    input.resume();
  });
}
