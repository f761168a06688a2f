import type { RiskTier } from "countersign";
import { useId, useState } from "react";
import { serverNow } from "../api/http.js";
import { useChangeSettings, useSettings } from "../api/settings.js";
import { useFormats, useIsOver } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { problemText } from "../ui/problem.js";
import { Select } from "../ui/select.js";
import { Switch } from "../ui/switch.js";
import { useWords } from "../words/words.js";

const MINUTES = ["15", "30", "60", "120", "240", "480"] as const;
const CEILINGS = ["R1", "R2", "R3"] as const satisfies readonly RiskTier[];

/** Off is one touch. On asks for how long and how far, and for the passkey once there is one. */
export function AutonomousSwitch() {
  const words = useWords();
  const text = words.settings.autonomous;
  const formats = useFormats();
  const settings = useSettings();
  const change = useChangeSettings();
  const [asking, setAsking] = useState(false);
  const mode = settings.data?.autonomous;
  const isOver = useIsOver(mode?.until);
  const on = mode !== undefined && !isOver;
  const toggle = (wanted: boolean) => (wanted ? setAsking(true) : change.mutate({ autonomous: { on: false } }));
  return (
    <div className="rounded border border-line bg-sheet p-4">
      <Switch
        label={text.title}
        note={on ? text.on(formats.moment(mode.until), words.risk[mode.ceiling]) : text.off}
        checked={on}
        disabled={settings.data === undefined || change.isPending}
        onChange={toggle}
      />
      {settings.error === null ? null : <Alert>{problemText(settings.error, words)}</Alert>}
      {change.error === null || asking ? null : <Alert urgent>{problemText(change.error, words)}</Alert>}
      <TurnOn open={asking} onClose={() => setAsking(false)} />
    </div>
  );
}

function TurnOn({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const words = useWords();
  const text = words.settings.autonomous;
  const change = useChangeSettings();
  const [minutes, setMinutes] = useState<(typeof MINUTES)[number]>("60");
  const [ceiling, setCeiling] = useState<(typeof CEILINGS)[number]>("R2");
  const [calls, setCalls] = useState("");
  const id = useId();
  const turnOn = () =>
    change.mutate(
      {
        autonomous: {
          on: true,
          ceiling,
          until: new Date(serverNow() + Number(minutes) * 60_000).toISOString(),
          ...(/^[1-9]\d*$/.test(calls) ? { budget: { calls: Number(calls) } } : {}),
        },
      },
      { onSuccess: onClose },
    );
  return (
    <Dialog open={open} onOpenChange={(isOpen) => isOpen || onClose()} title={text.title} lead={text.lead}>
      <div className="grid gap-4">
        <Select
          label={text.until}
          value={minutes}
          onChange={setMinutes}
          options={MINUTES.map((each) => [each, text.minutes(Number(each))])}
        />
        <Select
          label={text.ceiling}
          value={ceiling}
          onChange={setCeiling}
          options={CEILINGS.map((tier) => [tier, words.risk[tier]])}
        />
        <div className="grid gap-1">
          <label htmlFor={id} className="text-sm text-muted">
            {text.budget}
          </label>
          <input
            id={id}
            className="field"
            inputMode="numeric"
            value={calls}
            onChange={(event) => setCalls(event.target.value)}
          />
        </div>
        {change.error === null ? null : <Alert urgent>{problemText(change.error, words)}</Alert>}
        <div className="flex justify-between gap-2">
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button kind="filled" disabled={change.isPending} onClick={turnOn}>
            {text.turnOn}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
