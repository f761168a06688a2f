import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post } from "../api/http.js";
import { withFreshPasskey } from "../api/passkeys.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";

/** A terminal asks to be signed in. The code is compared by a person, so it stands here large and by itself. */
export function CliPage({
  code = new URLSearchParams(location.search).get("code") ?? "",
}: {
  readonly code?: string | undefined;
}) {
  const words = useWords();
  const [done, setDone] = useState<"approve" | "deny">();
  const [problem, setProblem] = useState<string>();
  const asked = useQuery({
    queryKey: ["cli", code],
    queryFn: () => get<{ client: string }>(`/v1/auth/cli/${encodeURIComponent(code)}`),
  });
  const decide = async (decision: "approve" | "deny") => {
    try {
      await withFreshPasskey(() => post(`/v1/auth/cli/${encodeURIComponent(code)}`, { decision }));
      setDone(decision);
    } catch (error) {
      setProblem(problemText(error, words));
    }
  };
  return (
    <div className="mx-auto grid max-w-md gap-4 p-6">
      <h1 className="text-[22px]/[30px] font-semibold">{words.signIn.cliTitle}</h1>
      {asked.error === null ? null : <Alert urgent>{problemText(asked.error, words)}</Alert>}
      {problem === undefined ? null : <Alert urgent>{problem}</Alert>}
      {done === undefined ? null : <Alert>{done === "approve" ? words.signIn.cliDone : words.signIn.cliRefused}</Alert>}
      {asked.data === undefined || done !== undefined ? null : (
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
    </div>
  );
}
