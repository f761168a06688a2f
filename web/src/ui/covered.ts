import { createContext, useContext, useEffect, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let inFront = 0;

function change(by: 1 | -1): void {
  inFront += by;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True around what stands in front of the page itself. */
export const InFrontContext = createContext(false);

/** Covers the page for as long as the component is there. */
export function useCover(): void {
  useEffect(() => {
    change(1);
    return () => change(-1);
  }, []);
}

/** Whether a dialog stands between this part of the page and the reader: what happens here meanwhile, nobody has seen. */
export function useIsCovered(): boolean {
  const isInFront = useContext(InFrontContext);
  const isAnyOpen = useSyncExternalStore(subscribe, () => inFront > 0);
  return isAnyOpen && !isInFront;
}
