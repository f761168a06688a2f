import type { RiskTier } from "countersign";
import { memo, type RefObject, useMemo } from "react";
import { agentOf } from "../shell/names.js";
import { useWords } from "../words/words.js";
import { type Filter, NO_FILTER } from "./filter.js";
import { useInbox } from "./inbox-provider.js";

interface FilterBarProps {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  readonly searchRef: RefObject<HTMLInputElement | null>;
}

const TIERS: readonly RiskTier[] = ["R4", "R3", "R2", "R1", "R0"];

export const FilterBar = memo(function FilterBar({ filter, onChange, searchRef }: FilterBarProps) {
  const words = useWords();
  const { state } = useInbox();
  const agents = useMemo(
    () =>
      [...new Map([...state.items.values()].map((item) => [item.requester.agentId, agentOf(item)]))].sort(
        ([, a], [, b]) => (a < b ? -1 : 1),
      ),
    [state.items],
  );
  const set = (change: Partial<Filter>) => {
    const next = { ...filter, ...change };
    onChange(next.text === "" && next.tier === "" && next.agent === "" ? NO_FILTER : next);
  };
  return (
    <search className="grid grid-cols-2 gap-2 px-5 pb-3 md:px-4">
      <input
        ref={searchRef}
        type="search"
        className="field col-span-2"
        placeholder={words.inbox.search}
        aria-label={words.inbox.search}
        value={filter.text}
        onChange={(event) => set({ text: event.target.value })}
      />
      <select
        className="field text-sm md:min-h-9"
        aria-label={words.inbox.filterRisk}
        value={filter.tier}
        onChange={(event) => set({ tier: TIERS.find((tier) => tier === event.target.value) ?? "" })}
      >
        <option value="">{words.inbox.allRisks}</option>
        {TIERS.map((tier) => (
          <option key={tier} value={tier}>
            {words.risk[tier]}
          </option>
        ))}
      </select>
      <select
        className="field text-sm md:min-h-9"
        aria-label={words.inbox.filterAgent}
        value={filter.agent}
        onChange={(event) => set({ agent: event.target.value })}
      >
        <option value="">{words.inbox.allAgents}</option>
        {agents.map(([agentId, name]) => (
          <option key={agentId} value={agentId}>
            {name}
          </option>
        ))}
      </select>
    </search>
  );
});
