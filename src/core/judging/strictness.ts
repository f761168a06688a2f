import { CONFIDENCE_THRESHOLD } from "../classify.js";
import { RISK_TIERS } from "../risk.js";
import type { ConfirmSetting, Settings } from "./settings.js";

/*
 * Every setting as a number: the higher, the more is asked. Comparing two settings point by point tells which changes weaken
 * (and want more proof of the person) and which tighten (and hold for everything not yet claimed).
 */
const CONFIRM: Readonly<Record<ConfirmSetting, number>> = { off: 0, default: 1, on: 2, always: 3 };

type Points = ReadonlyMap<string, number>;

/** The settings that ask less after the change. */
export function weakerPoints(before: Settings, after: Settings): string[] {
  return compare(before, after, (was, is) => is < was);
}

/** Whether anything is asked more after the change. */
export function isStricter(before: Settings, after: Settings): boolean {
  return compare(before, after, (was, is) => is > was).length > 0;
}

function compare(before: Settings, after: Settings, differs: (was: number, is: number) => boolean): string[] {
  const was = pointsOf(before);
  const is = pointsOf(after);
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.filter((name) => differs(was.get(name) ?? usual(name), is.get(name) ?? usual(name)));
}

/** What a setting that was not made counts as. */
function usual(name: string): number {
  if (name.startsWith("confidence:")) return CONFIDENCE_THRESHOLD;
  return name.startsWith("tool:") || name.startsWith("app:") ? CONFIRM.default : Number.POSITIVE_INFINITY;
}

function pointsOf(settings: Settings): Points {
  const { autonomous } = settings;
  const points = new Map<string, number>([
    ["require_confirmation", settings.requireConfirmation ? 1 : 0],
    ["confirm_all_api", settings.confirmAllApi ? 1 : 0],
  ]);
  // While the mode is off its points are missing, which is stricter than any it could have.
  if (autonomous !== undefined) {
    points.set("autonomous.ceiling", -RISK_TIERS.indexOf(autonomous.ceiling));
    points.set("autonomous.until", -autonomous.until);
    points.set("autonomous.calls", -(autonomous.budget?.calls ?? Number.POSITIVE_INFINITY));
    points.set("autonomous.cost", -(autonomous.budget?.cost ?? Number.POSITIVE_INFINITY));
  }
  for (const [tool, { confirm = "default", confidenceThreshold }] of Object.entries(settings.tools)) {
    points.set(`tool:${tool}`, CONFIRM[confirm]);
    if (confidenceThreshold !== undefined) points.set(`confidence:${tool}`, confidenceThreshold);
  }
  for (const [app, confirm] of Object.entries(settings.apps)) points.set(`app:${app}`, CONFIRM[confirm]);
  return points;
}
