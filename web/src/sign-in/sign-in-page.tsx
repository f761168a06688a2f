import { useQueryClient } from "@tanstack/react-query";
import { ClientError } from "countersign/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { signInWithPasskey } from "../api/passkeys.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { Frame } from "./frame.js";
import { wayBackIn } from "./way-back.js";

export function SignInPage() {
  const words = useWords();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const { to, hasEnded } = wayBackIn(useHistoryState<unknown>());
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signInWithPasskey();
      await queries.resetQueries();
      go(to, { replace: true });
    } catch (error) {
      const refused = error instanceof ClientError && error.code === "passkey_refused";
      setProblem(refused ? words.signIn.refused : problemText(error, words));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Frame title={words.signIn.title}>
      {hasEnded ? <Alert>{words.signIn.ended}</Alert> : null}
      <p className="text-muted">{words.signIn.lead}</p>
      {problem === undefined ? null : (
        <Alert tone="amber" urgent>
          {problem}
        </Alert>
      )}
      {"credentials" in navigator ? (
        <Button kind="filled" disabled={busy} onClick={() => void signIn()}>
          {words.signIn.passkey}
        </Button>
      ) : (
        <p>{words.signIn.noPasskeys}</p>
      )}
      <p className="text-sm text-muted">{words.signIn.link}</p>
    </Frame>
  );
}
