import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useLocation } from "wouter";
import { get, post } from "../api/http.js";
import { withFreshPasskey } from "../api/passkeys.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";

/** A terminal asks to be signed in: the person types the code it shows, reads who asks, and says yes or no. */
export function CliPage({ code }: { readonly code?: string | undefined }) {
  const words = useWords().signIn;
  return (
    <div className="grid h-full content-start overflow-y-auto sm:content-center sm:justify-center sm:p-6">
      <div className="sheet grid gap-5 sm:w-[26rem]">
        <h1 className="text-[22px]/[30px] font-semibold">{words.cliTitle}</h1>
        {code === undefined ? <EnterCode /> : <Decide code={code} />}
      </div>
    </div>
  );
}

function EnterCode() {
  const words = useWords().signIn;
  const [, go] = useLocation();
  const [typed, setTyped] = useState("");
  const id = useId();
  const next = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== "") go(`/cli/${encodeURIComponent(typed.trim().toUpperCase())}`);
  };
  return (
    <form className="grid gap-3" onSubmit={next}>
      <label htmlFor={id}>{words.cliEnter}</label>
      <input
        id={id}
        className="field text-center font-mono text-2xl tracking-widest uppercase"
        autoComplete="off"
        maxLength={32}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button kind="filled" type="submit">
        {words.cliNext}
      </Button>
    </form>
  );
}

function Decide({ code }: { readonly code: string }) {
  const words = useWords();
  const [done, setDone] = useState<"approve" | "deny">();
  const [problem, setProblem] = useState<string>();
  const path = `/v1/auth/cli/${encodeURIComponent(code)}`;
  const asked = useQuery({ queryKey: ["cli", code], queryFn: () => get<{ client: string }>(path) });
  const decide = async (decision: "approve" | "deny") => {
    try {
      await withFreshPasskey(() => post(path, { decision }));
      setDone(decision);
    } catch (error) {
      setProblem(problemText(error, words));
    }
  };
  if (done !== undefined) return <Alert>{done === "approve" ? words.signIn.cliDone : words.signIn.cliRefused}</Alert>;
  return (
    <>
      {asked.error === null ? null : <Alert urgent>{problemText(asked.error, words)}</Alert>}
      {problem === undefined ? null : <Alert urgent>{problem}</Alert>}
      {asked.data === undefined ? null : (
        <>
          <p className="isolate-text">{words.signIn.cliAsk(visible(asked.data.client))}</p>
          <p className="rounded border border-edge bg-sheet p-4 text-center font-mono text-2xl tracking-widest">
            {visible(code)}
          </p>
          <div className="flex justify-between gap-2">
            <Button onClick={() => void decide("deny")}>{words.signIn.cliDeny}</Button>
            <Button kind="filled" onClick={() => void decide("approve")}>
              {words.signIn.cliApprove}
            </Button>
          </div>
        </>
      )}
    </>
  );
}
