import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { withFreshPasskey } from "../api/passkeys.js";
import { useWords } from "../words/words.js";
import { useNotice } from "./notice.js";
import { problemText } from "./problem.js";

/** Does something at the server, shows the passkey where one is asked for, says how it went, and reads the lists it changed. */
export function useAct(...changes: readonly string[]) {
  const words = useWords();
  const tell = useNotice();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const act = async <T>(work: () => Promise<T>, said?: string): Promise<T | undefined> => {
    setBusy(true);
    try {
      const done = await withFreshPasskey(work);
      if (said !== undefined) tell(said);
      await Promise.all(changes.map((key) => queries.invalidateQueries({ queryKey: [key] })));
      return done;
    } catch (error) {
      tell(problemText(error, words));
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { act, busy };
}
