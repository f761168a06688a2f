import { expect, vi } from "vitest";
import { z } from "zod";
import type { Book } from "../../src/channels/book.js";
import type { ChannelName, Message } from "../../src/channels/channel.js";
import { Desk } from "../../src/channels/desk.js";
import type { DeskOptions } from "../../src/channels/desk-context.js";
import { fixedDirectory } from "../../src/channels/fixed-directory.js";
import { memoryBook } from "../../src/channels/memory-book.js";
import type { Assurance } from "../../src/core/approval.js";
import type { Caller } from "../../src/core/call.js";
import type { Gate } from "../../src/core/gate.js";
import type { Outcome } from "../../src/core/outcome.js";
import type { RiskTier } from "../../src/core/risk.js";
import { defineTool, type Locale } from "../../src/core/tool.js";
import { createGate } from "../../src/create-gate.js";
import { memoryStore } from "../../src/stores/memory.js";
import type { SeenMessage, StandIn } from "./stand-in.js";

const WORKSPACE = "home";
/** Ann belongs there too, and uses the same account. */
const OTHER = "work";
const AGENT: Caller = { userId: "ann", workspaceId: WORKSPACE, sessionId: "s1", agentId: "agent-7" };

export interface Office {
  readonly gate: Gate;
  readonly book: Book;
  readonly desk: Desk;
  readonly standIn: StandIn;
  /** What really ran. */
  readonly sent: string[];
  /** Messages that went on to the agent. */
  readonly passed: Message[];
  /** An agent asks; gives the approval's id. */
  ask(text?: string, options?: AskOptions): Promise<string>;
  /** Waits until a chat shows a message that passes the test, and gives it. */
  shows(chatId: string, test: (message: SeenMessage) => boolean): Promise<SeenMessage>;
  /** The newest card with buttons in a chat. */
  question(chatId: string, text?: string): Promise<SeenMessage>;
  state(approvalId: string): Promise<string>;
  /** The desk stops, and another instance of it starts on the same book. */
  restart(): Promise<void>;
  entries(type: string): Promise<number>;
  close(): Promise<void>;
}

interface AskOptions {
  readonly tool?: "mail.send" | "mail.secret" | "mail.brief" | "mail.wipe";
  readonly caller?: Partial<Caller>;
}

export interface OfficeOptions extends Partial<Pick<DeskOptions, "unclear" | "words">> {
  /** The group chat hears of every question. */
  readonly teamHears?: boolean;
  readonly upTo?: RiskTier;
  /** What a yes has to prove at least. */
  readonly stepUp?: Assurance;
  readonly locale?: Locale;
  readonly quorum?: number;
  /** Ann's chat by another of its names. */
  readonly annsChat?: string;
}

/** A gate, two approvers with accounts on the platform, and a desk between them. Eve has an account and no right. */
export async function openOffice(standIn: StandIn, options: OfficeOptions = {}): Promise<Office> {
  const sent: string[] = [];
  const passed: Message[] = [];
  const args = z.object({ text: z.string() });
  const execute = async ({ text }: { text: string }) => {
    sent.push(text);
    return { ok: true };
  };
  const assurance = options.stepUp === undefined ? {} : { assurance: options.stepUp };
  const locale = options.locale ?? "en";
  const gate = createGate({
    store: memoryStore(),
    audience: () => ({ persons: ["ann", "bob"], quorum: options.quorum ?? 1, ...assurance }),
    caller: AGENT,
    tools: [
      defineTool({ name: "mail.send", inputSchema: args, effect: "write", riskTier: "R3", execute }),
      defineTool({
        name: "mail.brief",
        inputSchema: args,
        effect: "write",
        riskTier: "R3",
        ttl: 400,
        offlineTtl: 400,
        execute,
      }),
      defineTool({ name: "mail.wipe", inputSchema: args, effect: "write", destructive: true, execute }),
      defineTool({
        name: "mail.secret",
        inputSchema: args,
        effect: "write",
        riskTier: "R3",
        sensitive: ["text"],
        execute,
      }),
    ],
  });
  const book = memoryBook();
  const first = standIn.channel();
  const name: ChannelName = first.name;
  const { people, chats, tenant } = standIn;
  const known = (userId: "ann" | "bob" | "eve", workspaceId = WORKSPACE) => ({
    userId,
    workspaceId,
    name: userId.toUpperCase(),
    accounts: [
      {
        account: { channel: name, tenant, id: people[userId] },
        chat: { kind: "private" as const, id: (userId === "ann" ? options.annsChat : undefined) ?? chats[userId] },
      },
    ],
  });
  const directory = fixedDirectory([known("ann"), known("bob"), known("eve"), known("ann", OTHER)], options.upTo);
  const open = async (channel = standIn.channel()) => {
    const desk = new Desk({
      gate,
      book,
      directory,
      channels: [channel],
      workspaces: async () => [WORKSPACE, OTHER],
      origin: "https://approve.example.com",
      locales: { feishu: locale, dingtalk: locale, slack: locale, telegram: locale },
      groups: options.teamHears ? [{ workspaceId: WORKSPACE, channel: name, chatId: chats.team }] : [],
      passOn: async (message) => void passed.push(message),
      ...(options.unclear === undefined ? {} : { unclear: options.unclear }),
      ...(options.words === undefined ? {} : { words: options.words }),
    });
    await desk.start();
    return desk;
  };
  // A chain that is followed for the first time begins at its head.
  for (const workspaceId of [WORKSPACE, OTHER]) await book.moveCursor(workspaceId, 0);
  let desk = await open(first);
  const shows: Office["shows"] = (chatId, test) =>
    until(() => {
      const found = standIn.seen(chatId).findLast(test);
      if (found !== undefined) return found;
      throw new Error(
        `not shown in ${chatId}:\n${standIn
          .seen(chatId)
          .map(({ text }) => text)
          .join("\n---\n")}`,
      );
    });
  return {
    gate,
    book,
    get desk() {
      return desk;
    },
    standIn,
    sent,
    passed,
    async ask(text = "hello", { tool = "mail.send", caller = {} } = {}) {
      const outcome: Outcome = await gate.submit({ tool, args: { text } }, { ...AGENT, ...caller });
      if (outcome.type !== "pending") throw new Error(`It was not held but ${outcome.type}: ${outcome.message}`);
      return outcome.approvalId;
    },
    shows,
    question: (chatId, text = "") => shows(chatId, (each) => each.buttons.length > 0 && each.text.includes(text)),
    state: async (approvalId) => (await gate.hostCard(approvalId))?.approval.state ?? "gone",
    async restart() {
      await desk.close();
      desk = await open();
    },
    entries: async (type) => (await gate.entries(WORKSPACE, 0, 1_000)).filter((entry) => entry.type === type).length,
    async close() {
      await desk.close();
      await gate.close();
      await standIn.close();
    },
  };
}

export const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 15_000, interval: 10 });

/** Everything said before has been heard once this has been: nothing that should not happen is still on its way. */
export async function barrier({ standIn, passed }: Office, chatId = standIn.chats.ann): Promise<void> {
  const marker = `is anybody there ${passed.length}?`;
  await standIn.say(standIn.people.ann, chatId, marker);
  await until(() => expect(passed.map(({ text }) => text)).toContain(marker));
}
