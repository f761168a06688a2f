import type { RiskTier } from "countersign";
import type { AgentView, IssuedKey } from "countersign/client";
import { useId, useState } from "react";
import { agentPath } from "../api/agents.js";
import { post } from "../api/http.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { Secret } from "../ui/secret.js";
import { Select } from "../ui/select.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

const CEILINGS = ["R0", "R1", "R2", "R3"] as const satisfies readonly RiskTier[];

export function NewAgentDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const words = useWords();
  const text = words.settings.developer;
  const { act, busy } = useAct("agents");
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState("");
  const [kind, setKind] = useState<AgentView["kind"]>("agent");
  const [ceiling, setCeiling] = useState<(typeof CEILINGS)[number]>("R2");
  const [devices, setDevices] = useState<AgentView["devices"]>("approved");
  const [issued, setIssued] = useState<string>();
  const id = useId();
  const wanted = scopes.split(/\s+/).filter((scope) => scope !== "");
  const create = async () => {
    const terms = { name: name.trim(), scopes: wanted, kind, devices, ...(kind === "automation" ? { ceiling } : {}) };
    setIssued((await act(() => post<IssuedKey>(agentPath(), terms)))?.apiKey);
  };
  const close = () => {
    setIssued(undefined);
    setName("");
    setScopes("");
    onClose();
  };
  return (
    <Dialog open={open} onOpenChange={(isOpen) => isOpen || close()} title={text.create}>
      {issued === undefined ? (
        <div className="grid gap-4">
          <div className="grid gap-1">
            <label htmlFor={`${id}-name`} className="text-sm text-muted">
              {text.name}
            </label>
            <input
              id={`${id}-name`}
              className="field"
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <div className="grid gap-1">
            <label htmlFor={`${id}-scopes`} className="text-sm text-muted">
              {text.scopes}
            </label>
            <textarea
              id={`${id}-scopes`}
              className="field font-mono text-sm"
              rows={3}
              value={scopes}
              onChange={(event) => setScopes(event.target.value)}
              aria-describedby={`${id}-note`}
            />
            <p id={`${id}-note`} className="text-sm text-muted">
              {text.scopesNote}
            </p>
          </div>
          <Select
            label={text.kind}
            value={kind}
            onChange={setKind}
            options={[
              ["agent", text.kinds.agent],
              ["automation", text.kinds.automation],
            ]}
          />
          {kind === "automation" ? (
            <Select
              label={text.ceiling}
              value={ceiling}
              onChange={setCeiling}
              options={CEILINGS.map((tier) => [tier, words.risk[tier]])}
            />
          ) : null}
          <Select
            label={text.devices}
            value={devices}
            onChange={setDevices}
            options={[
              ["approved", text.devicesApproved],
              ["none", text.devicesNone],
            ]}
          />
          <Button
            kind="filled"
            disabled={busy || name.trim() === "" || wanted.length === 0}
            onClick={() => void create()}
          >
            {text.create}
          </Button>
        </div>
      ) : (
        <Secret note={text.keyOnce} value={issued} />
      )}
    </Dialog>
  );
}
