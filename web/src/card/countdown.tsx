import { timeLeft, useTime } from "../shell/time.js";
import { useWords } from "../words/words.js";

/** Time left by the server's clock. It changes its number and nothing else. */
export function Countdown({ until }: { readonly until: string }) {
  const words = useWords();
  const end = Date.parse(until);
  const urgent = useTime((now) => end - now < 60_000);
  const text = useTime((now) => (end <= now ? words.card.over : words.card.left(timeLeft(end - now, words.card))));
  return (
    <time dateTime={until} className={`whitespace-nowrap ${urgent ? "font-semibold text-amber" : ""}`}>
      {text}
    </time>
  );
}
