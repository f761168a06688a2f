import type { SettingsView } from "countersign/client";
import { useChangeSettings, useSettings } from "../api/settings.js";
import { type ToolView, useTools } from "../api/tools.js";
import { groupBy } from "../shell/group-by.js";
import { Alert } from "../ui/alert.js";
import { visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { useNotice } from "../ui/notice.js";
import { NumberField } from "../ui/number-field.js";
import { problemText } from "../ui/problem.js";
import { Select } from "../ui/select.js";
import { useWords } from "../words/words.js";
import { ToolRow } from "./tool-row.js";

const MINUTE = 60_000;

/** Apps › app › tool › whether it asks. */
export function AppsSection() {
  const words = useWords();
  const text = words.settings.apps;
  const tools = useTools();
  const settings = useSettings();
  const change = useChangeSettings();
  const error = tools.error ?? settings.error ?? change.error;
  const apps = groupBy(tools.data?.tools ?? [], ({ app }) => app);
  return (
    <div className="grid gap-4">
      <p className="text-muted">{text.lead}</p>
      {error === null ? null : <Alert urgent>{problemText(error, words)}</Alert>}
      {tools.isSuccess && apps.size === 0 ? <p>{text.empty}</p> : null}
      {settings.data === undefined ? null : (
        <>
          {[...apps].map(([app, members]) => (
            <App key={app} app={app} tools={members} settings={settings.data} />
          ))}
          <NumberField
            label={text.offlineTtl}
            value={settings.data.offlineTtl === undefined ? "" : String(settings.data.offlineTtl / MINUTE)}
            onSave={(minutes) => change.mutate({ offlineTtl: Math.round(minutes * MINUTE) })}
          />
        </>
      )}
    </div>
  );
}

interface AppProps {
  readonly app: string;
  readonly tools: readonly ToolView[];
  readonly settings: SettingsView;
}

function App({ app, tools, settings }: AppProps) {
  const words = useWords();
  const text = words.settings.apps;
  const tell = useNotice();
  const change = useChangeSettings();
  const setting = (Object.hasOwn(settings.apps, app) ? settings.apps[app] : undefined) ?? "default";
  const set = (value: "on" | "off" | "default") =>
    change.mutate(
      { apps: { [app]: value === "default" ? null : value } },
      { onSuccess: () => tell(text.saved), onError: (error) => tell(problemText(error, words)) },
    );
  return (
    <details className="panel">
      <Lid className="px-4 py-3">
        <span className="isolate-text flex-1 font-medium">{visible(app)}</span>
        <span className="text-sm text-muted">{text.tools(tools.length)}</span>
      </Lid>
      <div className="border-t border-line px-4">
        <div className="grid items-center gap-2 py-3 sm:grid-cols-[1fr_12rem]">
          <span>{text.app}</span>
          <Select
            quiet
            label={`${text.app} ${visible(app)}`}
            value={setting}
            onChange={set}
            options={[
              ["default", text.appConfirm.default],
              ["on", text.appConfirm.on],
              ["off", text.appConfirm.off],
            ]}
          />
        </div>
        <ul className="divide-y divide-line border-t border-line">
          {tools.map((tool) => (
            <ToolRow key={tool.name} tool={tool} settings={settings} />
          ))}
        </ul>
      </div>
    </details>
  );
}
