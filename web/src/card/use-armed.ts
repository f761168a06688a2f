import { useEffect, useState } from "react";

/** As long as it takes to see what one is about to press. */
const INERT = 600;

/** False for a moment after `what` appeared or changed, after the window came to the front, and while it is not visible. */
export function useArmed(what: string): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      setArmed(false);
      clearTimeout(timer);
      if (what !== "" && document.visibilityState === "visible") timer = setTimeout(() => setArmed(true), INERT);
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
  return armed;
}
