import { useEffect, useState } from "react";

/** As long as it takes to see what one is about to press. */
const INERT = 600;

/** False for a moment after `what` appeared or changed, after the window came to the front, and while it is not visible. */
export function useArmed(what: string): boolean {
  // For what it is armed, so that what is drawn anew is inert with its very first frame.
  const [armedFor, setArmedFor] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      setArmedFor("");
      clearTimeout(timer);
      if (what !== "" && document.visibilityState === "visible") timer = setTimeout(() => setArmedFor(what), INERT);
    };
    settle();
    addEventListener("focus", settle);
    document.addEventListener("visibilitychange", settle);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", settle);
      document.removeEventListener("visibilitychange", settle);
    };
  }, [what]);
  return what !== "" && armedFor === what;
}
