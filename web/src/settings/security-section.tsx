import { useQuery } from "@tanstack/react-query";
import type { ListedSession, PasskeyView } from "countersign/client";
import { useId, useState } from "react";
import { useLocation } from "wouter";
import { get, post, request } from "../api/http.js";
import { addPasskey } from "../api/passkeys.js";
import { useMe } from "../shell/session.js";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { AskFirst } from "../ui/ask-first.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

export function SecuritySection() {
  return (
    <div className="grid gap-8">
      <Passkeys />
      <Sessions />
    </div>
  );
}

const ITEM = "flex flex-wrap items-center justify-between gap-3 py-3";

function Passkeys() {
  const words = useWords();
  const text = words.settings.security;
  const formats = useFormats();
  const passkeys = useQuery({
    queryKey: ["passkeys"],
    queryFn: () => get<{ passkeys: PasskeyView[] }>("/v1/me/passkeys"),
  });
  const { act, busy } = useAct("passkeys", "me");
  const [label, setLabel] = useState("");
  const id = useId();
  const add = async () => {
    await act(() => addPasskey(label.trim()));
    setLabel("");
  };
  return (
    <div>
      <h3 className="font-semibold">{text.passkeys}</h3>
      {passkeys.error === null ? null : <Alert urgent>{problemText(passkeys.error, words)}</Alert>}
      {passkeys.data?.passkeys.length === 0 ? <p className="text-amber">{text.noPasskeys}</p> : null}
      <ul className="divide-y divide-line">
        {passkeys.data?.passkeys.map((passkey) => (
          <li key={passkey.passkeyId} className={ITEM}>
            <span>
              <span className="isolate-text block">{visible(passkey.label)}</span>
              <span className="text-sm text-muted">
                {[
                  text.created(formats.moment(passkey.createdAt)),
                  text.lastUsed(passkey.lastUsedAt === null ? words.common.never : formats.moment(passkey.lastUsedAt)),
                  ...(passkey.backedUp ? [text.synced] : []),
                ].join(" · ")}
              </span>
            </span>
            <AskFirst
              disabled={busy}
              label={words.common.remove}
              title={text.removePasskeyTitle(visible(passkey.label))}
              text={passkeys.data.passkeys.length === 1 ? text.removeLastPasskeyText : text.removePasskeyText}
              onYes={() =>
                void act(() => request("DELETE", `/v1/me/passkeys/${encodeURIComponent(passkey.passkeyId)}`, {}))
              }
            />
          </li>
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap items-end gap-2">
        <div className="grid gap-1 max-sm:w-full">
          <label htmlFor={id} className="text-sm text-muted">
            {text.label}
          </label>
          <input
            id={id}
            className="field"
            maxLength={100}
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
        </div>
        <Button kind="filled" disabled={busy} onClick={() => void add()}>
          {text.add}
        </Button>
      </div>
    </div>
  );
}

function Sessions() {
  const words = useWords();
  const text = words.settings.security;
  const formats = useFormats();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: () => get<{ sessions: ListedSession[] }>("/v1/me/sessions"),
  });
  const { act, busy } = useAct("sessions", "me");
  const [, go] = useLocation();
  const signOut = async () => {
    await post("/v1/auth/sign-out");
    // Whoever leaves by themselves comes back to the inbox, not to this button.
    go("/sign-in");
  };
  const me = useMe();
  return (
    <div>
      <h3 className="font-semibold">{text.sessions}</h3>
      {sessions.error === null ? null : <Alert urgent>{problemText(sessions.error, words)}</Alert>}
      <ul className="divide-y divide-line">
        {sessions.data?.sessions.map((session) => (
          <li key={session.sessionId} className={ITEM}>
            <span>
              <span className="block">
                {text.kind[session.kind]}
                {session.current ? <strong> · {text.thisOne}</strong> : null}
              </span>
              <span className="text-sm text-muted">
                {text.created(formats.moment(session.createdAt))} · {text.lastUsed(formats.moment(session.lastSeenAt))}
              </span>
            </span>
            {session.current ? (
              <AskFirst
                disabled={busy}
                label={text.signOut}
                title={text.signOutTitle}
                text={me.passkeys === 0 ? text.signOutForGoodText : text.signOutText}
                onYes={() => void act(signOut)}
              />
            ) : (
              <AskFirst
                disabled={busy}
                label={text.end}
                title={text.endTitle}
                text={text.endText(formats.moment(session.lastSeenAt))}
                onYes={() =>
                  void act(() => request("DELETE", `/v1/me/sessions/${encodeURIComponent(session.sessionId)}`, {}))
                }
              />
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
