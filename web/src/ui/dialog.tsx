import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { useWords } from "../words/words.js";
import { InFrontContext, useCover } from "./covered.js";
import { goBack, wayBackTo } from "./focus-kept.js";

interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly lead?: string;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

/** On a phone it comes from below, where the thumb is. */
export function Dialog({ open, onOpenChange, title, lead, children, wide = false }: DialogProps) {
  const words = useWords();
  const wayBack = useRef<readonly HTMLElement[]>([]);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="appear fixed inset-0 z-40 bg-ink/40 dark:bg-paper/70" />
        <Radix.Content
          // Its name is read first, and nothing in it is pressed by a key that was meant for something else.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            const opener = document.activeElement;
            // A key opens it with nothing in focus.
            wayBack.current = wayBackTo(opener === document.body ? document.getElementById("content") : opener);
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
          }}
          // The library knows only triggers of its own, and what opened it may be gone with what was done here.
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            goBack(wayBack.current);
          }}
          {...(lead === undefined ? { "aria-describedby": undefined } : {})}
          className={`appear fixed inset-x-0 bottom-0 z-50 max-h-[92dvh] overflow-y-auto rounded-t-lg border border-line bg-paper p-5 outline-none pb-[max(1.25rem,env(safe-area-inset-bottom))] sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-3rem)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-lg ${wide ? "sm:max-w-3xl" : "sm:max-w-lg"}`}
        >
          <div className="mb-3 flex items-start justify-between gap-4">
            <Radix.Title className="isolate-text text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close
              className="-m-2.5 grid size-11 shrink-0 place-items-center rounded text-muted hover:text-ink"
              aria-label={words.common.close}
            >
              <span aria-hidden="true">✕</span>
            </Radix.Close>
          </div>
          {lead === undefined ? null : (
            <Radix.Description className="isolate-text mb-4 text-muted">{lead}</Radix.Description>
          )}
          <InFront>{children}</InFront>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** What is behind is covered as long as this is there; what is inside is not. */
function InFront({ children }: { readonly children: ReactNode }) {
  useCover();
  return <InFrontContext value={true}>{children}</InFrontContext>;
}
