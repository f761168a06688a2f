import type { ToolSettings } from "countersign";
import type { SettingsView } from "countersign/client";
import { useChangeSettings } from "../api/settings.js";
import type { ToolView } from "../api/tools.js";
import { visible } from "../ui/json-text.js";
import { Lid } from "../ui/lid.js";
import { useNotice } from "../ui/notice.js";
import { NumberField } from "../ui/number-field.js";
import { problemText } from "../ui/problem.js";
import { Risk } from "../ui/risk.js";
import { Select } from "../ui/select.js";
import { useWords } from "../words/words.js";

const MINUTE = 60_000;
const CHOICES = ["default", "always", "on", "off"] as const;

/** One tool's own settings; what is left at its default is not kept at all. */
export function ToolRow({ tool, settings }: { readonly tool: ToolView; readonly settings: SettingsView }) {
  const words = useWords();
  const text = words.settings.apps;
  const tell = useNotice();
  const change = useChangeSettings();
  const kept: ToolSettings = (Object.hasOwn(settings.tools, tool.name) ? settings.tools[tool.name] : undefined) ?? {};
  const save = (more: ToolSettings) => {
    const { confirm, ...rest } = { ...kept, ...more };
    const next = { ...rest, ...(confirm === undefined || confirm === "default" ? {} : { confirm }) };
    change.mutate(
      { tools: { [tool.name]: Object.keys(next).length === 0 ? null : next } },
      { onSuccess: () => tell(text.saved), onError: (error) => tell(problemText(error, words)) },
    );
  };
  const asks = tool.confirm === true || (tool.confirm === undefined && tool.effect === "write");
  return (
    <li className="py-3">
      <div className="grid items-center gap-2 sm:grid-cols-[1fr_12rem]">
        <div className="min-w-0">
          <span className="isolate-text block">{visible(tool.title ?? tool.name)}</span>
          <span className="flex flex-wrap items-center gap-x-3 text-sm text-muted">
            <bdi className="font-mono">{visible(tool.name)}</bdi>
            <span>{asks ? text.asksByDefault : text.runsByDefault}</span>
            {tool.riskTier === undefined ? null : <Risk tier={tool.riskTier} />}
          </span>
        </div>
        <Select
          quiet
          label={visible(tool.title ?? tool.name)}
          value={kept.confirm ?? "default"}
          onChange={(confirm) => save({ confirm })}
          options={CHOICES.map((choice) => [choice, text.confirm[choice]])}
        />
      </div>
      <details className="mt-1">
        <Lid className="text-sm text-accent">{text.more}</Lid>
        <div className="grid gap-3 pt-2 sm:grid-cols-2">
          <NumberField
            label={text.threshold}
            value={kept.confidenceThreshold === undefined ? "" : String(kept.confidenceThreshold)}
            onSave={(confidenceThreshold) => save({ confidenceThreshold })}
          />
          <NumberField
            label={text.ttl}
            value={kept.ttl === undefined ? "" : String(kept.ttl / MINUTE)}
            onSave={(minutes) => save({ ttl: Math.round(minutes * MINUTE) })}
          />
        </div>
      </details>
    </li>
  );
}
