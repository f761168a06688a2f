import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ClientError, type Me } from "countersign/client";
import { createContext, type ReactNode, useContext, useEffect, useMemo } from "react";
import { Redirect, useLocation } from "wouter";
import { enterWorkspace, get, ME, whenSignedOut } from "../api/http.js";
import { Frame } from "../sign-in/frame.js";
import type { WayBack } from "../sign-in/way-back.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { isSilent, problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { useStored } from "./preferences.js";

interface SignedIn extends Me {
  readonly chooseWorkspace: (workspaceId: string) => void;
}

const SessionContext = createContext<SignedIn | undefined>(undefined);

/** Who is signed in. Everything inside has somebody; nobody is sent to the sign-in page. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const words = useWords();
  const queries = useQueryClient();
  const [path] = useLocation();
  const [chosen, setChosen] = useStored<string>("workspace", anyText(), "");
  useMemo(() => enterWorkspace(chosen === "" ? undefined : chosen), [chosen]);
  const me = useQuery({ queryKey: ["me", chosen], queryFn: () => get<Me>(ME), retry: retryUnlessRefused });
  useEffect(() => whenSignedOut(() => void queries.invalidateQueries({ queryKey: ["me"] })), [queries]);
  const named = me.data?.workspaces.find(({ workspaceId }) => workspaceId === chosen) ?? me.data?.workspaces[0];
  const mustChoose = me.data !== undefined && me.data.workspaceId === undefined && named !== undefined;
  useEffect(() => {
    if (mustChoose) setChosen(named.workspaceId);
  }, [mustChoose, named, setChosen]);
  if (me.error instanceof ClientError && me.error.code === "not_signed_in") {
    return <Redirect to="/sign-in" replace state={{ to: path, hasEnded: me.data !== undefined } satisfies WayBack} />;
  }
  if (me.error !== null && me.data === undefined) {
    return (
      <Frame title={words.common.failed}>
        <Alert urgent>{problemText(me.error, words)}</Alert>
        <Button kind="filled" onClick={() => void me.refetch()}>
          {words.common.retry}
        </Button>
      </Frame>
    );
  }
  if (me.data === undefined || mustChoose) return <p className="p-8 text-muted">{words.common.loading}</p>;
  const chooseWorkspace = (workspaceId: string) => {
    setChosen(workspaceId);
    queries.clear();
  };
  return <SessionContext value={{ ...me.data, chooseWorkspace }}>{children}</SessionContext>;
}

/** Refusals stay what they are; silence may end. */
export function retryUnlessRefused(count: number, error: Error): boolean {
  return isSilent(error) && count < 2;
}

export function useMe(): SignedIn {
  const me = useContext(SessionContext);
  if (me === undefined) throw new Error("Nobody is signed in around this component.");
  return me;
}

/** Workspaces have any id; the list only answers that the kept one is a text. */
function anyText(): readonly string[] {
  const kept = localStorage.getItem("countersign.workspace");
  return kept === null ? [] : [kept];
}
