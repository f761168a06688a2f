import { createContext, type ReactNode, useCallback, useContext, useState } from "react";

const AnnounceContext = createContext<(text: string) => void>(() => undefined);

/** Says things to screen readers, politely: what arrived, what runs out, what was decided. */
export function AnnouncerProvider({ children }: { readonly children: ReactNode }) {
  const [said, setSaid] = useState({ text: "", turn: 0 });
  const announce = useCallback((text: string) => setSaid(({ turn }) => ({ text, turn: turn + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      {/* Two regions in turn: the same sentence twice is said twice. */}
      <div className="sr-only" aria-live="polite" role="status">
        {said.turn % 2 === 0 ? said.text : ""}
      </div>
      <div className="sr-only" aria-live="polite" role="status">
        {said.turn % 2 === 1 ? said.text : ""}
      </div>
    </AnnounceContext>
  );
}

export function useAnnounce(): (text: string) => void {
  return useContext(AnnounceContext);
}
