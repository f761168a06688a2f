import { useQuery } from "@tanstack/react-query";
import type { AgentView, DeviceView, WorkspaceView } from "countersign/client";
import { useState } from "react";
import { agentPath } from "../api/agents.js";
import { get, post } from "../api/http.js";
import { useChangeSettings, useSettings } from "../api/settings.js";
import { Alert } from "../ui/alert.js";
import { AskFirst } from "../ui/ask-first.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { Switch } from "../ui/switch.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";
import { AgentPanel } from "./agent-panel.js";
import { NewAgentDialog } from "./new-agent-dialog.js";

/** For people who run agents: keys, their use, the devices they speak from, and the brakes. */
export function DeveloperSection() {
  const words = useWords();
  const text = words.settings.developer;
  const agents = useQuery({ queryKey: ["agents"], queryFn: () => get<{ agents: AgentView[] }>(agentPath()) });
  const [creating, setCreating] = useState(false);
  const live = agents.data?.agents.filter(({ revokedAt }) => revokedAt === null);
  return (
    <div className="grid gap-8">
      <p className="text-muted">{text.lead}</p>
      <Brakes />
      <div className="grid gap-3">
        <div className="flex items-center justify-between gap-3">
          <h3 className="font-semibold">{text.agents}</h3>
          <Button kind="filled" small onClick={() => setCreating(true)}>
            {text.create}
          </Button>
        </div>
        {agents.error === null ? null : <Alert urgent>{problemText(agents.error, words)}</Alert>}
        {live?.length === 0 ? <p className="text-muted">{text.empty}</p> : null}
        {live?.map((agent) => (
          <AgentPanel key={agent.agentId} agent={agent} />
        ))}
      </div>
      <Devices />
      <NewAgentDialog open={creating} onClose={() => setCreating(false)} />
    </div>
  );
}

function Brakes() {
  const words = useWords();
  const text = words.settings.developer;
  const tell = useNotice();
  const settings = useSettings();
  const change = useChangeSettings();
  const workspace = useQuery({ queryKey: ["workspace"], queryFn: () => get<WorkspaceView>("/v1/workspace") });
  const { act, busy } = useAct("workspace");
  return (
    <div className="grid gap-4">
      <Switch
        label={text.confirmAll}
        note={text.confirmAllNote}
        checked={settings.data?.confirmAllApi === true}
        disabled={settings.data === undefined || change.isPending}
        onChange={(confirmAllApi) =>
          change.mutate({ confirmAllApi }, { onError: (error) => tell(problemText(error, words)) })
        }
      />
      <Switch
        label={text.pause}
        note={text.pauseNote}
        checked={workspace.data?.paused === true}
        disabled={workspace.data === undefined || busy}
        onChange={(paused) => void act(() => post("/v1/workspace/pause", { paused }))}
      />
    </div>
  );
}

function Devices() {
  const words = useWords();
  const text = words.settings.developer;
  const devices = useQuery({ queryKey: ["devices"], queryFn: () => get<{ devices: DeviceView[] }>("/v1/devices") });
  const { act, busy } = useAct("devices");
  const answer = ({ deviceId }: DeviceView, verb: "approve" | "deny" | "revoke") =>
    void act(() => post(`/v1/devices/${encodeURIComponent(deviceId)}/${verb}`));
  const refusal = (device: DeviceView, verb: "deny" | "revoke") => (
    <AskFirst
      small
      disabled={busy}
      label={text[verb]}
      title={text.refuseDeviceTitle(visible(device.label))}
      text={text.refuseDeviceText}
      onYes={() => answer(device, verb)}
    />
  );
  return (
    <div className="grid gap-3">
      <h3 className="font-semibold">{text.deviceList}</h3>
      {devices.error === null ? null : <Alert urgent>{problemText(devices.error, words)}</Alert>}
      {devices.data?.devices.length === 0 ? <p className="text-muted">{text.noDevices}</p> : null}
      <ul className="divide-y divide-line">
        {devices.data?.devices.map((device) => (
          <li key={device.deviceId} className="flex flex-wrap items-center justify-between gap-3 py-3">
            <span className="min-w-0">
              <span className="isolate-text block font-medium">{visible(device.label)}</span>
              <bdi className="font-mono text-sm text-muted">{visible(device.fingerprint)}</bdi>
            </span>
            <span className="flex gap-2">
              {device.status === "pending" ? (
                <>
                  {refusal(device, "deny")}
                  <Button small disabled={busy} onClick={() => answer(device, "approve")}>
                    {text.approve}
                  </Button>
                </>
              ) : null}
              {device.status === "approved" ? refusal(device, "revoke") : null}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
