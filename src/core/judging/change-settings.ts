import type { Person } from "../approval.js";
import { newEntry } from "../audit.js";
import type { Engine } from "../engine.js";
import { CountersignError } from "../errors.js";
import { atLeast, isRiskTier } from "../risk.js";
import { memberOf } from "../vouch.js";
import { counterKey } from "./budgets.js";
import { type AutonomousMode, defaultSettings, type Settings, type ToolSettings } from "./settings.js";
import { commitStanding, standingPut } from "./standing.js";
import { isStricter, weakerPoints } from "./strictness.js";

/** What to change; whatever is left out stays. `null` removes a tool's or an app's settings. */
export interface SettingsPatch {
  readonly autonomous?: { readonly on: false } | (Omit<AutonomousMode, "since"> & { readonly on: true });
  readonly tools?: Readonly<Record<string, ToolSettings | null>>;
  readonly apps?: Readonly<Record<string, Settings["apps"][string] | null>>;
  readonly requireConfirmation?: boolean;
  readonly confirmAllApi?: boolean;
  readonly offlineTtl?: number;
}

/** Settings that let everything below R4 run are listed here, so that a start can say so. */
const CONFIRMATION_OFF = "confirmation-off";
const DAY = 24 * 3_600_000;
const MAX_NAMES = 1_000;

function settingsId(workspaceId: string, userId: string): string {
  return counterKey("settings", workspaceId, userId);
}

export async function settingsOf(engine: Engine, person: Person): Promise<Settings> {
  const { workspaceId, userId } = await memberOf(engine, person);
  const record = await engine.store.get("setting", settingsId(workspaceId, userId));
  return record === undefined ? defaultSettings(workspaceId, userId) : (JSON.parse(record.value) as Settings);
}

/** Changes a person's own settings. What makes less be asked is a weakening; the rest holds for every call not yet claimed. */
export async function updateSettings(engine: Engine, patch: SettingsPatch, person: Person): Promise<Settings> {
  const { workspaceId, userId } = await memberOf(engine, person);
  const changes = given(patch);
  const id = settingsId(workspaceId, userId);
  for (;;) {
    const record = await engine.store.get("setting", id);
    const before = record === undefined ? defaultSettings(workspaceId, userId) : (JSON.parse(record.value) as Settings);
    const after = patched(before, changes, engine.store.time(), engine.limits.autonomous);
    const weaker = weakerPoints(before, after);
    if (weaker.length > 0) await engine.weaken?.(person, "settings.changed");
    const entry = newEntry("settings.changed", "", {
      by: userId,
      changed: Object.keys(changes),
      ...(weaker.length > 0 ? { weakening: true, weaker } : {}),
    });
    const applied = await commitStanding(engine, {
      workspaceId,
      puts: [
        standingPut("setting", id, after, record?.version ?? 0, after.requireConfirmation ? [] : [CONFIRMATION_OFF]),
      ],
      entries: [entry],
      tighten: isStricter(before, after),
    });
    if (applied.ok) return after;
    if (applied.refused !== "version")
      throw new CountersignError("store_failed", `The settings were not changed: ${applied.refused}.`);
  }
}

/** Says at start for whom nothing below R4 is asked. */
export async function tellConfirmationOff({ store, notice }: Engine): Promise<void> {
  for (const record of await store.list(CONFIRMATION_OFF, "", MAX_NAMES)) {
    const { workspaceId, userId } = JSON.parse(record.value) as Settings;
    notice("confirmation.off", { workspaceId, userId, text: "Everything below R4 runs unasked for this person." });
  }
}

/** What is there but undefined was left out by somebody who copied it: it must not stand for "no". */
function given(patch: SettingsPatch): SettingsPatch {
  checkPatch(patch);
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

function patched(before: Settings, patch: SettingsPatch, now: number, longest: number): Settings {
  const { autonomous, tools = {}, apps = {}, ...rest } = patch;
  const { autonomous: mode, ...others } = before;
  const next = autonomous === undefined ? mode : autonomousFrom(autonomous, mode, now, longest);
  const after: Settings = {
    ...others,
    ...rest,
    ...(next === undefined ? {} : { autonomous: next }),
    tools: merged(before.tools, tools),
    apps: merged(before.apps, apps),
  };
  if (Object.keys(after.tools).length + Object.keys(after.apps).length > MAX_NAMES)
    throw invalid(`at most ${MAX_NAMES} tools and apps`);
  return after;
}

function merged<T>(
  before: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>>,
): Record<string, T> {
  const entries = [
    ...Object.entries(before).filter(([name]) => !Object.hasOwn(changes, name)),
    ...Object.entries(changes),
  ];
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== null));
}

/** On has an end, a ceiling of R3 at most, and a new budget each time; changing it while it is on goes on counting. */
function autonomousFrom(
  wanted: NonNullable<SettingsPatch["autonomous"]>,
  mode: AutonomousMode | undefined,
  now: number,
  longest: number,
): AutonomousMode | undefined {
  if (wanted.on === false) return undefined;
  const { until, ceiling, budget = {} } = wanted;
  if (!(Number.isSafeInteger(until) && until > now && until <= now + longest))
    throw invalid(`autonomous.until as a time within the next ${longest / 3_600_000} hours`);
  if (!isRiskTier(ceiling) || !atLeast("R3", ceiling)) throw invalid("autonomous.ceiling from R0 to R3");
  const { calls, cost } = budget;
  if (calls !== undefined && !(Number.isSafeInteger(calls) && calls > 0))
    throw invalid("autonomous.budget.calls above 0");
  if (cost !== undefined && !(Number.isFinite(cost) && cost > 0)) throw invalid("autonomous.budget.cost above 0");
  const allowance = { ...(calls === undefined ? {} : { calls }), ...(cost === undefined ? {} : { cost }) };
  const since = mode === undefined || now >= mode.until ? now : mode.since;
  return { since, until, ceiling, ...(Object.keys(allowance).length === 0 ? {} : { budget: allowance }) };
}

const FIELDS: readonly string[] = [
  "autonomous",
  "tools",
  "apps",
  "requireConfirmation",
  "confirmAllApi",
  "offlineTtl",
] satisfies (keyof SettingsPatch)[];

/** Strict: a word nobody knows changes nothing. */
function checkPatch(patch: SettingsPatch): void {
  if (patch === null || typeof patch !== "object") throw invalid("an object");
  const unknown = Object.keys(patch).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw invalid(`no field "${unknown}"`);
  for (const key of ["requireConfirmation", "confirmAllApi"] as const)
    if (patch[key] !== undefined && typeof patch[key] !== "boolean") throw invalid(`${key} as true or false`);
  if (patch.autonomous !== undefined && typeof patch.autonomous?.on !== "boolean")
    throw invalid("autonomous.on as true or false");
  checkTime("offlineTtl", patch.offlineTtl);
  for (const [name, setting] of Object.entries(patch.tools ?? {})) if (setting !== null) checkTool(name, setting);
  for (const [name, confirm] of Object.entries(patch.apps ?? {}))
    if (confirm !== null && !["on", "off", "default"].includes(confirm))
      throw invalid(`apps.${name} as on, off or default`);
}

function checkTool(name: string, setting: ToolSettings): void {
  if (typeof setting !== "object") throw invalid(`tools.${name} as an object`);
  const unknown = Object.keys(setting).find((key) => !["confirm", "confidenceThreshold", "ttl"].includes(key));
  if (unknown !== undefined) throw invalid(`no field tools.${name}.${unknown}`);
  const { confirm = "default", confidenceThreshold = 0, ttl } = setting;
  if (!["always", "on", "off", "default"].includes(confirm))
    throw invalid(`tools.${name}.confirm as always, on, off or default`);
  if (!(confidenceThreshold >= 0 && confidenceThreshold <= 1))
    throw invalid(`tools.${name}.confidenceThreshold from 0 to 1`);
  checkTime(`tools.${name}.ttl`, ttl);
}

function checkTime(name: string, time: number | undefined): void {
  if (time !== undefined && !(Number.isSafeInteger(time) && time > 0 && time <= DAY))
    throw invalid(`${name} as milliseconds, a day at most`);
}

function invalid(expected: string): CountersignError {
  return new CountersignError("invalid_call", `Settings take ${expected}. Nothing was changed.`);
}
