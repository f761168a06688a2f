import { useQueryClient } from "@tanstack/react-query";
import { ClientError } from "countersign/client";
import { type FormEvent, useId, useState } from "react";
import { Link, useLocation } from "wouter";
import { post } from "../api/http.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { Frame } from "./frame.js";

/** Where invitations lead. Whoever joins says how they are called; what they may do an owner confirms. */
export function JoinPage() {
  const words = useWords();
  const queries = useQueryClient();
  const [, go] = useLocation();
  // Kept before the address is cleaned, so that the token stays in no history.
  const [token] = useState(() => {
    const given = new URLSearchParams(location.hash.slice(1)).get("t");
    history.replaceState(null, "", "/join");
    return given;
  });
  const [name, setName] = useState("");
  const [refused, setRefused] = useState(token === null);
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const join = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await post("/v1/invitations/accept", { token, name: name.trim() });
      await queries.resetQueries();
      go("/", { replace: true });
    } catch (error) {
      if (error instanceof ClientError && error.code === "link_refused") setRefused(true);
      else setProblem(problemText(error, words));
    }
  };
  if (refused) {
    return (
      <Frame title={words.signIn.joinTitle}>
        <Alert urgent>{words.signIn.joinRefused}</Alert>
        <p>
          {words.signIn.joinedAlready}{" "}
          <Link href="/sign-in" className="text-accent underline">
            {words.signIn.title}
          </Link>
        </p>
      </Frame>
    );
  }
  return (
    <Frame title={words.signIn.joinTitle}>
      {problem === undefined ? null : <Alert urgent>{problem}</Alert>}
      <form className="grid gap-4" onSubmit={(event) => void join(event)}>
        <p>{words.signIn.joinLead}</p>
        <div className="grid gap-1">
          <label htmlFor={id} className="text-sm text-muted">
            {words.signIn.joinName}
          </label>
          <input
            id={id}
            className="field"
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <Button kind="filled" type="submit" disabled={name.trim() === ""}>
          {words.signIn.join}
        </Button>
      </form>
    </Frame>
  );
}
