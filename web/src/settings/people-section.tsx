import type { MemberView, Role } from "countersign/client";
import { useState } from "react";
import { post, request } from "../api/http.js";
import { useMembers } from "../shell/names.js";
import { useMe } from "../shell/session.js";
import { Alert } from "../ui/alert.js";
import { AskFirst } from "../ui/ask-first.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { Secret } from "../ui/secret.js";
import { Select } from "../ui/select.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

const ROLES: readonly Role[] = ["owner", "approver", "member", "auditor"];

export function PeopleSection() {
  const words = useWords();
  const text = words.settings.people;
  const { role, userId } = useMe();
  const members = useMembers();
  const { act, busy } = useAct("members");
  const owner = role === "owner";
  const at = (member: MemberView, more = "") => `/v1/members/${encodeURIComponent(member.userId)}${more}`;
  return (
    <div className="grid gap-4">
      <p className="text-muted">{text.lead}</p>
      {members.error === null ? null : <Alert urgent>{problemText(members.error, words)}</Alert>}
      <ul className="divide-y divide-line">
        {members.data?.members.map((member) => (
          <li key={member.userId} className="flex flex-wrap items-center justify-between gap-3 py-3">
            <span className="min-w-0">
              <span className="isolate-text block font-medium">{visible(member.name)}</span>
              <span className="isolate-text text-sm text-muted">
                <span className="font-mono text-xs">{visible(member.userId)}</span>
                {member.wantedRole === null ? null : ` · ${text.roles[member.wantedRole]}: ${text.unconfirmed}`}
              </span>
            </span>
            <span className="flex flex-wrap items-center gap-2">
              {owner && member.wantedRole !== null ? (
                <Button disabled={busy} onClick={() => void act(() => post(at(member, "/confirm")))}>
                  {text.confirm}
                </Button>
              ) : null}
              <Select
                quiet
                label={`${text.role}: ${visible(member.name)}`}
                value={member.role}
                disabled={!owner || busy}
                onChange={(next) => void act(() => request("PATCH", at(member), { role: next }))}
                options={ROLES.map((each) => [each, text.roles[each] ?? each])}
              />
              {owner && member.userId !== userId ? (
                <AskFirst
                  disabled={busy}
                  label={text.remove}
                  title={text.removeTitle(visible(member.name))}
                  text={text.removeText}
                  onYes={() => void act(() => request("DELETE", at(member), {}))}
                />
              ) : null}
            </span>
          </li>
        ))}
      </ul>
      {owner ? <Invite /> : null}
    </div>
  );
}

function Invite() {
  const text = useWords().settings.people;
  const { act, busy } = useAct();
  const [role, setRole] = useState<Role>("approver");
  const [url, setUrl] = useState<string>();
  const invite = async () => setUrl((await act(() => post<{ url: string }>("/v1/invitations", { role })))?.url);
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={text.role}
          value={role}
          onChange={setRole}
          options={ROLES.map((each) => [each, text.roles[each] ?? each])}
        />
        <Button kind="filled" disabled={busy} onClick={() => void invite()}>
          {text.invite}
        </Button>
      </div>
      {url === undefined ? null : <Secret note={text.inviteLink} value={url} />}
    </div>
  );
}
