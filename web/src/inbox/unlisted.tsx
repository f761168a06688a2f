import { useEffect, useState } from "react";
import { Link } from "wouter";
import { Nothing } from "../shell/nothing.js";
import { useWords } from "../words/words.js";
import { useInbox } from "./inbox-provider.js";

/** What an address names and the list does not hold: asked for by its id. Whoever follows a link that is no good is told. */
export function Unlisted({ approvalId }: { readonly approvalId: string }) {
  const words = useWords();
  const { refresh, connection } = useInbox();
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    void refresh(approvalId).then(() => setAsked(true));
  }, [refresh, approvalId, connection]);
  if (!isAsked) return null;
  return (
    <Nothing text={connection === "live" ? words.inbox.missing : words.common.unreachable}>
      <Link href="/" className="text-accent underline">
        {words.common.toInbox}
      </Link>
    </Nothing>
  );
}
