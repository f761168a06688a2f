import { useEffect } from "react";

/** An element and the places around it that can take the focus, from the inside out: for when the element is gone. */
export function wayBackTo(element: Element | null): readonly HTMLElement[] {
  if (!(element instanceof HTMLElement)) return [];
  return [element, ...wayBackTo(element.parentElement?.closest("[tabindex]") ?? null)];
}

/** The first of them that still can takes the focus. Nothing scrolls: whoever reads stays where they read. */
export function goBack(way: readonly HTMLElement[]): void {
  way.find((place) => place.isConnected && !place.matches(":disabled"))?.focus({ preventScroll: true });
}

/**
 * When what had the focus leaves the page, as a button does whose act is done, or is disabled while it works, the browser drops the
 * focus: the keyboard would start again at the top and a screen reader would lose its place. Looked after at every change of the
 * page, because no event tells of it; and the way back is known before, because what was taken out has nothing around it any more.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let way: readonly HTMLElement[] = [];
    let dropped = false;
    const remember = ({ target }: FocusEvent) => {
      way = target instanceof Element ? wayBackTo(target) : [];
      dropped = false;
    };
    const observer = new MutationObserver(() => {
      const [held] = way;
      if (held === undefined) return;
      const isOut = !held.isConnected;
      const isOff = held.matches(":disabled");
      dropped ||= isOut || isOff;
      // What is disabled is awaited: it may be back in a moment.
      if (dropped && (isOut || !isOff) && document.activeElement === document.body) goBack(way);
    });
    document.addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    return () => {
      document.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
