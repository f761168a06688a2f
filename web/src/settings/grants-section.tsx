import { useQuery } from "@tanstack/react-query";
import type { GrantView } from "countersign";
import { get, request } from "../api/http.js";
import { useNames } from "../shell/names.js";
import { usePreferences } from "../shell/preferences.js";
import { useFormats } from "../shell/time.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useAct } from "../ui/use-act.js";
import { useWords } from "../words/words.js";

export function GrantsSection() {
  const words = useWords();
  const text = words.settings.grants;
  const formats = useFormats();
  const { locale } = usePreferences();
  const nameOf = useNames();
  const grants = useQuery({
    queryKey: ["grants", locale],
    queryFn: () => get<{ grants: GrantView[] }>(`/v1/grants?locale=${locale}`),
  });
  const { act, busy } = useAct("grants");
  const revoke = (grantId: string) =>
    act(() => request("DELETE", `/v1/grants/${encodeURIComponent(grantId)}`, {}), text.revoked);
  return (
    <div className="grid gap-3">
      <p className="text-muted">{text.lead}</p>
      {grants.error === null ? null : <Alert urgent>{problemText(grants.error, words)}</Alert>}
      {grants.data?.grants.length === 0 ? <p>{text.empty}</p> : null}
      <ul className="grid gap-2">
        {grants.data?.grants.map((grant) => (
          <li
            key={grant.grantId}
            className="panel grid justify-items-start gap-3 p-4 sm:flex sm:items-start sm:justify-between"
          >
            <div className="min-w-0 flex-1">
              <p className="isolate-text">{visible(grant.text)}</p>
              {grant.warnings.map((warning) => (
                <p key={warning} className="isolate-text text-sm text-amber">
                  {visible(warning)}
                </p>
              ))}
              <p className="isolate-text text-sm text-muted">
                {[
                  text.used(grant.used, grant.uses),
                  text.until(formats.moment(grant.until)),
                  text.by(nameOf(grant.givenBy)),
                ].join(" · ")}
              </p>
            </div>
            <Button disabled={busy} onClick={() => void revoke(grant.grantId)}>
              {text.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
