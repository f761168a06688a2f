import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { get, post, request } from "../api/http.js";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { AskFirst } from "../ui/ask-first.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";
import { ReplyWords } from "./reply-words.js";

interface AccountView {
  readonly accountId: string;
  readonly channel: "feishu" | "dingtalk" | "slack" | "telegram";
  readonly platformId: string;
  readonly createdAt: string;
}

interface Code {
  readonly code: string;
  readonly expiresAt: string;
}

/** Chat accounts that answer for this person. The code is shown until the page is left; it is good once. */
export function AccountsSection() {
  const words = useWords();
  const text = words.settings.accounts;
  const formats = useFormats();
  const accounts = useQuery({
    queryKey: ["accounts"],
    queryFn: () => get<{ accounts: AccountView[] }>("/v1/me/accounts"),
    // The other half happens in a chat: the page notices by looking.
    refetchInterval: 5_000,
  });
  const { act, busy } = useAct("accounts");
  const [code, setCode] = useState<Code>();
  const make = () =>
    act(async () => {
      setCode(await post<Code>("/v1/me/accounts/code", {}));
    });
  return (
    <div className="grid gap-4">
      <p className="text-muted">{text.lead}</p>
      {accounts.error === null ? null : <Alert urgent>{problemText(accounts.error, words)}</Alert>}
      {accounts.data?.accounts.length === 0 ? <p>{text.empty}</p> : null}
      <ul className="divide-y divide-line">
        {accounts.data?.accounts.map((account) => (
          <li key={account.accountId} className="flex flex-wrap items-center justify-between gap-3 py-3">
            <span className="min-w-0">
              <span className="block">{text.platforms[account.channel]}</span>
              <span className="isolate-text text-sm text-muted">
                {visible(account.platformId)} · {formats.moment(account.createdAt)}
              </span>
            </span>
            <AskFirst
              disabled={busy}
              label={text.disconnect}
              title={text.disconnectTitle(text.platforms[account.channel], visible(account.platformId))}
              text={text.disconnectText}
              onYes={() =>
                void act(
                  () => request("DELETE", `/v1/me/accounts/${encodeURIComponent(account.accountId)}`, {}),
                  text.disconnected,
                )
              }
            />
          </li>
        ))}
      </ul>
      {code === undefined ? null : (
        <div role="status" className="rounded border border-line bg-sheet p-4">
          <p>{text.say}</p>
          <p className="my-2 font-mono text-lg select-all">{text.command(code.code)}</p>
          <p className="text-sm text-muted">{text.until(formats.moment(code.expiresAt))}</p>
        </div>
      )}
      <div>
        <Button kind="filled" disabled={busy} onClick={() => void make()}>
          {text.connect}
        </Button>
      </div>
      <ReplyWords />
    </div>
  );
}
