import { useQuery } from "@tanstack/react-query";
import type { ReplyRulesView } from "countersign/client";
import { type FormEvent, useId, useState } from "react";
import { get, request } from "../api/http.js";
import { useMe } from "../shell/session.js";
import { Button } from "../ui/button.js";
import { Select } from "../ui/select.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

const PATH = "/v1/workspace/replies";

/** How answers in chats are read in this workspace: seen and changed by its owners. */
export function ReplyWords() {
  const { role } = useMe();
  const rules = useQuery({
    queryKey: ["replies"],
    queryFn: () => get<ReplyRulesView>(PATH),
    enabled: role === "owner",
  });
  // Another form for other rules: what somebody else has saved is not overwritten by what was typed before.
  return rules.data === undefined ? null : <RulesForm key={JSON.stringify(rules.data)} rules={rules.data} />;
}

function RulesForm({ rules }: { readonly rules: ReplyRulesView }) {
  const text = useWords().settings.replies;
  const { act, busy } = useAct("replies");
  const [approve, setApprove] = useState(rules.approve.join(", "));
  const [deny, setDeny] = useState(rules.deny.join(", "));
  const [unclear, setUnclear] = useState<"ask" | "cancel">(rules.unclear ?? rules.usual.unclear);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const chosen = unclear === (rules.unclear ?? rules.usual.unclear) ? {} : { unclear };
    void act(() => request("PATCH", PATH, { approve: listed(approve), deny: listed(deny), ...chosen }), text.saved);
  };
  return (
    <form className="grid gap-3 border-t border-line pt-4" onSubmit={save}>
      <h3 className="font-semibold">{text.title}</h3>
      <p className="text-muted">{text.lead}</p>
      <WordsField label={text.approve} value={approve} usual={rules.usual.approve} onChange={setApprove} />
      <WordsField label={text.deny} value={deny} usual={rules.usual.deny} onChange={setDeny} />
      <Select
        label={text.unclear}
        value={unclear}
        disabled={busy}
        onChange={setUnclear}
        options={[
          ["ask", text.ask],
          ["cancel", text.cancel],
        ]}
      />
      <Button type="submit" className="justify-self-start" disabled={busy}>
        {text.save}
      </Button>
    </form>
  );
}

function WordsField(props: {
  readonly label: string;
  readonly value: string;
  readonly usual: readonly string[];
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  const text = useWords().settings.replies;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm text-muted">
        {props.label}
      </label>
      <input
        id={id}
        className="field"
        maxLength={1_000}
        value={props.value}
        aria-describedby={`${id}-usual`}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <p id={`${id}-usual`} className="text-sm break-keep text-muted">
        {text.usual(props.usual.join(" · "))}
      </p>
    </div>
  );
}

function listed(value: string): readonly string[] {
  return value
    .split(/[,，、;；\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
