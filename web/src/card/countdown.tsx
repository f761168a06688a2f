import { timeLeft, useNow } from "../shell/time.js";
import { useWords } from "../words/words.js";

/** Time left by the server's clock. It changes its number and nothing else. */
export function Countdown({ until }: { readonly until: string }) {
  const words = useWords();
  const left = Date.parse(until) - useNow();
  const urgent = left < 60_000;
  return (
    <time dateTime={until} className={`whitespace-nowrap ${urgent ? "font-semibold text-amber" : ""}`}>
      {left <= 0 ? words.card.over : words.card.left(timeLeft(left, words.card))}
    </time>
  );
}
