import { useQuery } from "@tanstack/react-query";
import type { AgentView, IssuedKey, UsageView } from "countersign/client";
import { useState } from "react";
import { agentPath } from "../api/agents.js";
import { get, post, request } from "../api/http.js";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { AskFirst } from "../ui/ask-first.js";
import { Bars } from "../ui/bars.js";
import { Button } from "../ui/button.js";
import { Days } from "../ui/days.js";
import { visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { problemText } from "../ui/problem.js";
import { Secret } from "../ui/secret.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

/** One agent: what it may ask for, its keys, and what they were used for. Read when it is opened. */
export function AgentPanel({ agent }: { readonly agent: AgentView }) {
  const words = useWords();
  const text = words.settings.developer;
  const [open, setOpen] = useState(false);
  return (
    <details className="panel" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <Lid className="px-4 py-3">
        <span className="min-w-0 flex-1">
          <span className="isolate-text block font-medium">{visible(agent.name)}</span>
          <bdi className="isolate-text block font-mono text-sm text-muted">{visible(agent.scopes.join(" "))}</bdi>
        </span>
      </Lid>
      <div className="grid gap-4 border-t border-line p-4">
        <p className="text-sm">
          {text.kinds[agent.kind]}
          {agent.ceiling === null ? null : ` · ${text.ceiling}: ${words.risk[agent.ceiling]}`}
          {` · ${agent.devices === "none" ? text.devicesNone : text.devicesApproved}`}
        </p>
        {open ? <Keys agent={agent} /> : null}
      </div>
    </details>
  );
}

function Keys({ agent }: { readonly agent: AgentView }) {
  const words = useWords();
  const text = words.settings.developer;
  const formats = useFormats();
  const usage = useQuery({
    queryKey: ["usage", agent.agentId],
    queryFn: () => get<UsageView>(agentPath(agent.agentId, "/usage")),
  });
  const { act, busy } = useAct("usage", "agents");
  const [issued, setIssued] = useState<string>();
  const rotate = async (keyId: string) => {
    const key = await act(() => post<IssuedKey>(agentPath(agent.agentId, "/keys/rotate"), { keyId }), text.rotated);
    setIssued(key?.apiKey);
  };
  if (usage.error !== null) return <Alert urgent>{problemText(usage.error, words)}</Alert>;
  if (usage.data === undefined) return <p className="text-muted">{words.common.loading}</p>;
  const { keys, calls, tools, requests, days } = usage.data;
  return (
    <>
      <ul className="divide-y divide-line">
        {keys
          .filter(({ revokedAt }) => revokedAt === null)
          .map((key) => (
            <li key={key.keyId} className="flex flex-wrap items-center justify-between gap-2 py-2">
              <span>
                <bdi className="font-mono">{visible(key.hint)}</bdi>
                <span className="block text-sm text-muted">{text.expires(formats.date(key.expiresAt))}</span>
              </span>
              <span className="flex gap-2">
                <Button small disabled={busy} onClick={() => void rotate(key.keyId)}>
                  {text.rotate}
                </Button>
                <AskFirst
                  small
                  disabled={busy}
                  label={text.revoke}
                  title={text.revokeTitle(visible(key.hint))}
                  text={text.revokeText}
                  onYes={() => void act(() => request("DELETE", `/v1/keys/${encodeURIComponent(key.keyId)}`, {}))}
                />
              </span>
            </li>
          ))}
      </ul>
      {issued === undefined ? null : <Secret note={text.keyOnce} value={issued} />}
      <div>
        <h4 className="eyebrow">
          {text.usage} · {text.requests(formats.number(requests))}
        </h4>
        {tools.length === 0 ? (
          <p className="text-sm text-muted">{requests === 0 ? text.noUsage : text.onlyReads}</p>
        ) : null}
        {tools.length === 0 ? null : <Days title={text.byDay(days.length)} days={days} most={text.mostADay} />}
        <Bars title={text.byTool} values={tools.map(({ tool, calls: n }) => [visible(tool), n])} />
        <Bars
          title={text.byState}
          values={Object.entries(calls).map(([state, n]) => [words.history.states[state] ?? visible(state), n])}
        />
      </div>
      <AskFirst
        disabled={busy}
        className="justify-self-start"
        label={text.removeAgent}
        title={text.removeAgentTitle(visible(agent.name))}
        text={text.removeAgentText}
        onYes={() => void act(() => request("DELETE", agentPath(agent.agentId), {}))}
      />
    </>
  );
}
