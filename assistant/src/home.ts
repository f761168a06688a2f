import { chmodSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CountersignError, createGate, type Gate, type JsonObject, type Locale } from "countersign";
import { contentAnalyser } from "countersign/analysers";
import { makeFolder, sqliteStore } from "countersign/stores/sqlite";
import { type Assistant, createAssistant } from "./assistant.js";
import type { Member, Members } from "./people.js";

export interface HomeOptions {
  readonly folder: string;
  readonly locale: Locale;
  /** Who belongs to a workspace, where somebody knows; else the owner alone. */
  readonly members?: Members;
  readonly notice?: (event: string, fields: JsonObject) => void;
  /** Settings from outside, such as `COUNTERSIGN_SMTP_URL`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Home {
  readonly gate: Gate;
  readonly assistant: Assistant;
}

/** A gate and an assistant that keep everything in one folder. Several processes may open the same one. */
export function openHome({ folder, locale, members, notice = () => {}, env = {} }: HomeOptions): Home {
  const setting = (name: string) => (env[name] === "" ? undefined : env[name]);
  // Read before anything is opened, so that nothing stays open when one is wrong.
  const address = (name: string, ...schemes: [string, string]) => checkedAddress(name, setting(name), schemes);
  const smtpUrl = address("COUNTERSIGN_SMTP_URL", "smtp", "smtps");
  const searchUrl = address("COUNTERSIGN_SEARCH_URL", "http", "https");
  const transcriptUrl = address("COUNTERSIGN_TRANSCRIPT_URL", "http", "https");
  const dataUrl = address("COUNTERSIGN_DATA_URL", "postgres", "postgresql");
  const from = setting("COUNTERSIGN_MAIL_FROM");
  // Mail and tasks are for their owner's eyes.
  try {
    makeFolder(folder);
    chmodSync(folder, 0o700);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new CountersignError(
      "invalid_request",
      `The data folder ${folder} cannot be used (${why}). Name another: COUNTERSIGN_DATA or --data.`,
      { cause },
    );
  }
  const gate = createGate({ store: sqliteStore(join(folder, "engine.db")), analysers: [contentAnalyser()], notice });
  const others = membersIn(setting("COUNTERSIGN_MEMBERS") ?? "");
  const alone = () => [{ userId: gate.caller.userId, name: gate.caller.userId }];
  const assistant = createAssistant({
    gate,
    folder,
    locale,
    notice,
    members: async (workspaceId) => [...(await (members ?? alone)(workspaceId)), ...others],
    mail: { ...(smtpUrl === undefined ? {} : { smtpUrl }), ...(from === undefined ? {} : { from }) },
    data: dataUrl === undefined ? {} : { url: dataUrl },
    web: {
      ...(searchUrl === undefined ? {} : { searchUrl }),
      ...(transcriptUrl === undefined ? {} : { transcriptUrl }),
      trustedHosts: [searchUrl, transcriptUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).host])),
    },
  });
  return { gate, assistant };
}

/** The address, if there is one; its text may hold a password and is not told. */
function checkedAddress(name: string, value: string | undefined, schemes: readonly string[]): string | undefined {
  if (value === undefined) return undefined;
  if (URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1))) return value;
  const forms = schemes.map((scheme) => `${scheme}://`).join(" or ");
  throw new CountersignError("invalid_request", `${name} is not an address that begins with ${forms}.`);
}

/** The folder for what the assistant keeps: in the user's state, not where an agent works. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = env["COUNTERSIGN_DATA"];
  if (named !== undefined && named !== "") return named;
  const state = env["XDG_STATE_HOME"];
  return join(
    state === undefined || state === "" ? join(homedir(), ".local", "state") : state,
    "countersign",
    "assistant",
  );
}

/** Whom tasks can be assigned to, as `ben=Ben,mia=Mia`. */
function membersIn(text: string): readonly Member[] {
  return text.split(",").flatMap((pair) => {
    const [userId = "", name = userId] = pair.split("=").map((part) => part.trim());
    return userId === "" ? [] : [{ userId, name }];
  });
}
