import { useChangeSettings, useSettings } from "../api/settings.js";
import { useWords } from "../words/words.js";
import { useFormats, useIsOver } from "./time.js";

/** As long as things run unasked, every page says so, and one touch ends it. */
export function AutonomousBanner() {
  const words = useWords();
  const formats = useFormats();
  const settings = useSettings();
  const change = useChangeSettings();
  const mode = settings.data?.autonomous;
  const isOver = useIsOver(mode?.until);
  if (mode === undefined || isOver) return null;
  return (
    <aside
      aria-label={words.settings.autonomous.title}
      className="flex flex-wrap items-center justify-center gap-3 border-b-2 border-amber bg-amber-wash px-4 py-2 text-sm font-medium"
    >
      <span>{words.settings.autonomous.banner(formats.moment(mode.until), words.risk[mode.ceiling])}</span>
      <button type="button" className="underline" onClick={() => change.mutate({ autonomous: { on: false } })}>
        {words.settings.autonomous.turnOff}
      </button>
    </aside>
  );
}
