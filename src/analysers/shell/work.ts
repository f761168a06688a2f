/** The parser looks for the end of each of these anew, so that its work grows with the square of how many there are. */
const MOST_PARENTHESES = 5_000;
/** What it looks at for the braces of one word: for each of them the whole word. */
const MOST_BRACE_STEPS = 50_000_000;

/** Whether taking a text apart would keep everybody else waiting. Somebody who looks at it decides faster. */
export function isTooMuchWork(text: string): boolean {
  if (count(text, "(") > MOST_PARENTHESES) return true;
  const steps = text.split(/\s+/).reduce((sum, word) => sum + count(word, "{") * word.length, 0);
  return steps > MOST_BRACE_STEPS;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}
