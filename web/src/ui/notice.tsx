import { Toast } from "radix-ui";
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { useWords } from "../words/words.js";

interface Told {
  readonly id: number;
  readonly text: string;
}

const NoticeContext = createContext<(text: string) => void>(() => undefined);

/** Short sentences that come and go, in a corner where no button is. */
export function NoticeProvider({ children }: { readonly children: ReactNode }) {
  const words = useWords();
  const [told, setTold] = useState<readonly Told[]>([]);
  const count = useRef(0);
  const tell = useCallback((text: string) => {
    count.current += 1;
    // Two of the same moment are two.
    const id = count.current;
    setTold((all) => [...all.slice(-2), { id, text }]);
  }, []);
  return (
    <NoticeContext value={tell}>
      <Toast.Provider duration={6_000} swipeDirection="right" label={words.product}>
        {children}
        {told.map(({ id, text }) => (
          <Toast.Root
            key={id}
            onOpenChange={(open) => open || setTold((all) => all.filter((each) => each.id !== id))}
            className="appear flex items-start gap-3 rounded border border-line bg-ink px-4 py-3 text-sm text-paper"
          >
            <Toast.Description className="isolate-text flex-1">{text}</Toast.Description>
            <Toast.Close aria-label={words.common.close}>
              <span aria-hidden="true">✕</span>
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed top-3 right-3 left-3 z-60 flex flex-col gap-2 sm:left-auto sm:w-80" />
      </Toast.Provider>
    </NoticeContext>
  );
}

export function useNotice(): (text: string) => void {
  return useContext(NoticeContext);
}
