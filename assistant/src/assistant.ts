import { join } from "node:path";
import type { Card, Gate, JsonObject, Locale, Person } from "countersign";
import { makeFolder } from "countersign/stores/sqlite";
import { type AppOptions, type Apps, createApps } from "./apps/apps.js";
import { respond } from "./chat/chat.js";
import { Conversations } from "./chat/conversations.js";
import type { ChatEvent, ToolCallbacks } from "./chat/events.js";
import { HeldCalls } from "./chat/held-calls.js";
import type { ChatResponse } from "./chat/request.js";
import { streamed } from "./chat/stream.js";
import { type CommandCall, type CommandOutcome, runBatch, runPipeline } from "./commands/run-commands.js";
import { createDemo, type Demo } from "./demo/demo.js";
import { openHousehold } from "./household/household.js";
import { wordsIn } from "./words/words.js";

export interface AssistantOptions extends AppOptions {
  /** Its registry gets the assistant's tools. Give it `analysers: [contentAnalyser()]`, so that SQL and addresses are read. */
  readonly gate: Gate;
  /** The household's database; `household.db` in the folder unless given. */
  readonly database?: string;
  readonly now?: () => number;
  /** For messages that do not tell by themselves. */
  readonly locale?: Locale;
  readonly timezone?: string;
  readonly agentId?: string;
  readonly callbacks?: ToolCallbacks;
  /** Milliseconds a stream stays open for calls that wait; five minutes unless given. */
  readonly patience?: number;
  /** For logs and metrics: reasons that are not told outside. */
  readonly notice?: (event: string, fields: JsonObject) => void;
}

/** The household assistant as a library. Whoever calls it vouches for the person; it opens no port by itself. */
export interface Assistant {
  readonly gate: Gate;
  readonly apps: Apps;
  readonly demo: Demo;
  /** Seed A's `POST /agent/chat`. Throws a `ChatError` for requests that are none. */
  chat(request: unknown, person: Person): Promise<ChatResponse>;
  stream(request: unknown, person: Person): AsyncIterable<ChatEvent>;
  /** The card behind a confirmation token, for whoever it was given to. */
  card(token: string, person: Person, locale?: Locale): Promise<Card | undefined>;
  /** Each on its own, all of them through the gate. */
  batch(calls: readonly CommandCall[], person: Person): Promise<readonly CommandOutcome[]>;
  /** One after the other, until one does not succeed. */
  pipeline(calls: readonly CommandCall[], person: Person): Promise<readonly CommandOutcome[]>;
  /** Closes its own databases, not the gate. */
  close(): Promise<void>;
}

const PATIENCE = 5 * 60_000;

export function createAssistant(options: AssistantOptions): Assistant {
  const {
    gate,
    folder,
    now = Date.now,
    locale = "en",
    agentId = "assistant",
    callbacks = {},
    notice = () => {},
  } = options;
  makeFolder(folder);
  const household = openHousehold(options.database ?? join(folder, "household.db"), now);
  const apps = createApps(household, options);
  gate.registry.add(...apps.tools);
  const parts = {
    gate,
    apps,
    conversations: new Conversations(household),
    held: new HeldCalls(household),
    callbacks,
    now,
    agentId,
    locale,
    timezone: options.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    notice,
  };
  const demo = createDemo({ gate, apps, notice });
  return {
    gate,
    apps,
    demo,
    chat: async (request, person) => (await respond(parts, request, person, () => {})).response,
    stream: (request, person) =>
      streamed((emit) => respond(parts, request, person, emit), {
        patience: options.patience ?? PATIENCE,
        wentWrong: wordsIn(locale).wentWrong,
      }),
    async card(token, person, inLocale = locale) {
      const call = parts.held.byToken(token);
      const theirs = call?.userId === person.userId && call.workspaceId === person.workspaceId;
      return theirs ? gate.card(call.approvalId, person, inLocale) : undefined;
    },
    batch: (calls, person) => runBatch({ gate, callbacks, agentId }, calls, person),
    pipeline: (calls, person) => runPipeline({ gate, callbacks, agentId }, calls, person),
    async close() {
      await demo.stop();
      await apps.close();
      household.close();
    },
  };
}
