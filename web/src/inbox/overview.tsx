import type { RiskTier } from "countersign";
import type { ReactNode } from "react";
import { serverNow } from "../api/http.js";
import { timeLeft } from "../shell/time.js";
import { Risk } from "../ui/risk.js";
import { useWords } from "../words/words.js";
import { useInbox } from "./inbox-provider.js";

const TIERS: readonly RiskTier[] = ["R4", "R3", "R2", "R1", "R0"];

/** Beside the list while nothing is chosen: how much waits, how grave it is, and how to begin. */
export function Overview() {
  const words = useWords();
  const { state } = useInbox();
  const pending = [...state.items.values()].filter((item) => item.state === "pending");
  const soonest = Math.min(...pending.map(({ expiresAt }) => Date.parse(expiresAt)));
  const left = soonest - serverNow();
  const counts = TIERS.map((tier) => [tier, pending.filter(({ riskTier }) => riskTier === tier).length] as const);
  return (
    <div className="grid h-full place-content-center overflow-y-auto p-8">
      <div className="grid w-80 gap-5">
        <div>
          <p className="text-[22px]/[30px] font-semibold">{words.inbox.count(pending.length)}</p>
          {left > 0 && pending.length > 0 ? (
            <p className="text-muted">{words.inbox.firstOver(timeLeft(left, words.card))}</p>
          ) : null}
        </div>
        <ul className="panel divide-y divide-line px-4">
          {counts
            .filter(([, count]) => count > 0)
            .map(([tier, count]) => (
              <li key={tier} className="flex items-center justify-between py-2">
                <Risk tier={tier} />
                <span className="font-semibold">{count}</span>
              </li>
            ))}
        </ul>
        <p className="text-muted">{words.inbox.choose}</p>
        <dl className="grid grid-cols-[2.5rem_1fr] gap-y-1.5 text-sm text-muted">
          <Key name="j k">{words.keys.step}</Key>
          <Key name="o">{words.keys.open}</Key>
          <Key name="?">{words.keys.all}</Key>
        </dl>
      </div>
    </div>
  );
}

function Key({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="contents">
      <dt>
        <kbd className="font-mono text-ink">{name}</kbd>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
