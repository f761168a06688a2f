import { type FormEvent, useEffect, useRef, useState } from "react";
import { useInbox } from "../inbox/inbox-provider.js";
import { Nothing } from "../shell/nothing.js";
import { usePreferences } from "../shell/preferences.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { useWords } from "../words/words.js";
import { Call } from "./call.js";
import { arranged, CallGroup, type Row } from "./call-group.js";
import { streamChat } from "./stream.js";
import { type Part, said, told } from "./transcript.js";
import { type Buttons, isYes, pressYes } from "./yes.js";

/** The conversation with the assistant that is mounted here. Its calls stand in it as the same cards as in the inbox. */
export function ChatPage() {
  const words = useWords();
  const { locale } = usePreferences();
  const [parts, setParts] = useState<readonly Part[]>([]);
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(0);
  const conversation = useRef<string>(undefined);
  const abort = useRef(new AbortController());
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const controller = new AbortController();
    abort.current = controller;
    return () => controller.abort();
  }, []);
  const { state } = useInbox();
  const buttons = useRef<Buttons>(new Map());
  const waiting = parts.flatMap((part) => {
    const approval = part.kind === "call" ? state.items.get(part.card?.approvalId ?? "") : undefined;
    return approval?.state === "pending" ? [approval] : [];
  });
  const count = parts.length;
  useEffect(() => {
    if (count > 0) end.current?.scrollIntoView({ block: "end" });
  }, [count]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const message = text.trim();
    if (message === "") return;
    setText("");
    setParts((before) => said(before, message));
    const [only, ...others] = waiting;
    if (only !== undefined && others.length === 0 && isYes(message)) {
      pressYes(buttons.current.get(only.approvalId)?.current, only.riskTier);
      return;
    }
    setBusy((n) => n + 1);
    try {
      const request = { message, conversationId: conversation.current, locale, signal: abort.current.signal };
      for await (const happened of streamChat(request)) {
        if (happened.type === "done") conversation.current = happened.conversationId;
        setParts((before) => told(before, happened));
      }
    } catch {
      setParts((before) => told(before, { type: "error", message: words.common.offline }));
    } finally {
      setBusy((n) => n - 1);
    }
  };
  return (
    <div className="flex h-full flex-col">
      <header className="px-5 pt-5 pb-2 sm:px-8">
        <h1 className="mx-auto max-w-[720px] text-xl font-semibold">{words.chat.title}</h1>
      </header>
      <div
        className="min-h-0 flex-1 overflow-y-auto px-5 sm:px-8"
        role="log"
        aria-label={words.chat.title}
        tabIndex={0}
      >
        {parts.length > 0 ? null : (
          <Nothing text={words.chat.empty}>
            <p className="max-w-sm text-balance text-muted">{words.chat.emptyLead}</p>
          </Nothing>
        )}
        <div className={`mx-auto grid max-w-[720px] gap-4 ${parts.length > 0 ? "py-4" : ""}`}>
          {arranged(parts, state.items).map((row, index) => (
            <RowView key={keyOf(row, index)} row={row} buttons={buttons.current} />
          ))}
          <div ref={end} />
        </div>
      </div>
      <form onSubmit={(event) => void send(event)} className="border-t border-line px-5 py-3 sm:px-8">
        <div className="mx-auto flex max-w-[720px] gap-2">
          <input
            className="field"
            aria-label={words.chat.placeholder}
            aria-describedby="chat-hint"
            placeholder={words.chat.placeholder}
            value={text}
            maxLength={4_000}
            onChange={(event) => setText(event.target.value)}
          />
          <Button kind="filled" type="submit" className="shrink-0">
            {words.chat.send}
          </Button>
        </div>
        <p id="chat-hint" className="mx-auto mt-1 max-w-[720px] text-sm text-muted">
          {busy > 0 && waiting.length === 0 ? words.chat.running : words.chat.hint}
        </p>
      </form>
    </div>
  );
}

/** A call keeps what was opened in it wherever it comes to stand; words are only ever added at the end. */
function keyOf(row: Row, index: number): string {
  if (row.kind === "calls") return `calls:${row.calls[0]?.callId ?? ""}`;
  return row.kind === "call" ? row.callId : String(index);
}

function RowView({ row, buttons }: { readonly row: Row; readonly buttons: Buttons }) {
  const words = useWords();
  switch (row.kind) {
    case "words":
      return (
        <div className={row.from === "person" ? "justify-self-end rounded-lg bg-wash px-4 py-2" : ""}>
          <span className="sr-only">{row.from === "person" ? words.chat.you : words.chat.assistant}</span>
          <p className="isolate-text whitespace-pre-wrap">{visible(row.text)}</p>
        </div>
      );
    case "call":
      return <Call part={row} buttons={buttons} />;
    case "calls":
      return <CallGroup calls={row.calls} buttons={buttons} />;
    case "problem":
      return <p className="text-amber">{words.chat.failed(visible(row.text))}</p>;
    default:
      return row satisfies never;
  }
}
