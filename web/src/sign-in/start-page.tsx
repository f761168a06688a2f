import { useQueryClient } from "@tanstack/react-query";
import type { Me } from "countersign/client";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { get, post } from "../api/http.js";
import { addPasskey } from "../api/passkeys.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { Frame } from "./frame.js";

/** Where one-time links lead. The token is in the part of the address that no server and no log sees. */
export function StartPage() {
  const words = useWords();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [step, setStep] = useState<"redeeming" | "refused" | "missing" | "passkey">("redeeming");
  const [problem, setProblem] = useState<string>();
  const started = useRef(false);
  useEffect(() => {
    // Once: a second try would find the token spent.
    if (started.current) return;
    started.current = true;
    const token = new URLSearchParams(location.hash.slice(1)).get("t");
    history.replaceState(null, "", "/start");
    if (token === null) return setStep("missing");
    post("/v1/auth/link", { token })
      .then(() => queries.resetQueries())
      .then(() => get<Me>("/v1/me"))
      .then(
        (me) => (me.passkeys === 0 ? setStep("passkey") : go("/", { replace: true })),
        () => setStep("refused"),
      );
  }, [go, queries]);
  const enrol = async () => {
    try {
      await addPasskey("");
      await queries.resetQueries();
      go("/", { replace: true });
    } catch (error) {
      setProblem(problemText(error, words));
    }
  };
  if (step === "passkey") {
    return (
      <Frame title={words.signIn.welcome}>
        <p>{words.signIn.addPasskeyWhy}</p>
        {problem === undefined ? null : <Alert urgent>{problem}</Alert>}
        <Button kind="filled" onClick={() => void enrol()}>
          {words.signIn.addPasskey}
        </Button>
        <Link href="/" className="text-center text-accent underline">
          {words.signIn.later}
        </Link>
      </Frame>
    );
  }
  return (
    <Frame title={words.signIn.title}>
      {step === "redeeming" ? <p className="text-muted">{words.signIn.redeeming}</p> : null}
      {step === "refused" ? <Alert urgent>{words.signIn.linkRefused}</Alert> : null}
      {step === "missing" ? <Alert>{words.signIn.noLink}</Alert> : null}
      {step === "redeeming" ? null : (
        <Link href="/sign-in" className="text-accent underline">
          {words.signIn.title}
        </Link>
      )}
    </Frame>
  );
}
