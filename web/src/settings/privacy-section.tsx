import { useQuery } from "@tanstack/react-query";
import type { PrivacyView } from "countersign/client";
import { fileAt, get, request } from "../api/http.js";
import { useMe } from "../shell/session.js";
import { Alert } from "../ui/alert.js";
import { problemText } from "../ui/problem.js";
import { Select } from "../ui/select.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

const DAY = 86_400_000;

/** A plain table: what is kept, and for how long at each level. */
export function PrivacySection() {
  const words = useWords();
  const text = words.settings.privacy;
  const { role } = useMe();
  const privacy = useQuery({ queryKey: ["privacy"], queryFn: () => get<PrivacyView>("/v1/privacy") });
  const { act, busy } = useAct("privacy");
  const choose = (level: string) => act(() => request("PUT", "/v1/privacy", { level }), text.saved);
  return (
    <div className="grid gap-4">
      <p className="text-muted">{text.lead}</p>
      {privacy.error === null ? null : <Alert urgent>{problemText(privacy.error, words)}</Alert>}
      {privacy.data === undefined ? null : (
        <>
          <Select
            label={text.level}
            value={privacy.data.level}
            disabled={busy || role !== "owner"}
            onChange={(level) => void choose(level)}
            options={privacy.data.levels.map(({ level }) => [level, text.levels[level] ?? level])}
          />
          <Kept privacy={privacy.data} />
        </>
      )}
      <a
        className="justify-self-start text-accent underline"
        href={fileAt("/v1/me/export")}
        download="countersign-me.json"
      >
        {text.export}
      </a>
    </div>
  );
}

function Kept({ privacy }: { readonly privacy: PrivacyView }) {
  const text = useWords().settings.privacy;
  const rows = [
    ...text.content.map((what) => [what, undefined] as const),
    ...text.afterwards.map((what) => [what, text.always] as const),
    ...text.nothing.map((what) => [what, text.never] as const),
  ];
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={text.kept}>
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-edge">
            <th className="py-2 pr-4 font-semibold">{text.what}</th>
            {privacy.levels.map(({ level }) => (
              <th key={level} className="py-2 pr-4 font-semibold">
                {text.levels[level] ?? level}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([what, kept]) => (
            <tr key={what} className="border-b border-line align-top">
              <td className="py-2 pr-4">{what}</td>
              {privacy.levels.map(({ level, contentKeptFor }) => (
                <td key={level} className={`py-2 pr-4 ${level === privacy.level ? "" : "text-muted"}`}>
                  {kept ?? text.days(Math.round(contentKeptFor / DAY))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
