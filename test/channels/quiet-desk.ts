import type { Book } from "../../src/channels/book.js";
import type { Channel, ChannelEvents } from "../../src/channels/channel.js";
import { Desk } from "../../src/channels/desk.js";
import { fixedDirectory } from "../../src/channels/fixed-directory.js";
import { memoryBook } from "../../src/channels/memory-book.js";
import { createGate, defineTool, memoryStore } from "../../src/index.js";
import { fakeClock, faultyStore } from "../../src/testing/index.js";

const CALLER = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "agent-7" };
const CHAT = { kind: "private", id: "c-ann" } as const;
const ACCOUNT = { channel: "telegram", tenant: "acme", id: "u-ann" } as const;

/** A desk with one person's chat, where time stands still and store and book fail on cue. */
export async function openQuietDesk() {
  const clock = fakeClock();
  const store = faultyStore(memoryStore({ clock }));
  const ran: string[] = [];
  const tool = defineTool({
    name: "mail.send",
    effect: "write",
    confirm: true,
    execute: (args) => void ran.push((args as { text: string }).text),
  });
  const audience = () => ({ persons: ["ann", "bob"] });
  const gate = createGate({ store, clock, audience, caller: CALLER, tools: [tool] });
  const said: string[] = [];
  const passed: string[] = [];
  const notices: string[] = [];
  const book = faultyBook();
  let events: ChannelEvents | undefined;
  let messages = 0;
  const channel: Channel = {
    name: "telegram",
    spacing: 0,
    start: async (given) => void (events = given),
    fits: () => true,
    deliver: async () => ({ messageId: `m${++messages}`, at: clock.now(), sequence: messages }),
    redraw: async () => undefined,
    say: async (_, text) => void said.push(text),
    close: async () => undefined,
  };
  await book.moveCursor("home", 0);
  const desk = new Desk({
    gate,
    book,
    clock,
    channels: [channel],
    directory: fixedDirectory([
      { userId: "ann", workspaceId: "home", name: "ANN", accounts: [{ account: ACCOUNT, chat: CHAT }] },
    ]),
    workspaces: async () => ["home"],
    passOn: async ({ text }) => void passed.push(text),
    notice: (event) => void notices.push(event),
  });
  await desk.start();
  return {
    gate,
    store,
    clock,
    book,
    ran,
    said,
    passed,
    notices,
    ask: async (text: string): Promise<string> => {
      const { approvalId = "" } = await gate.submit({ tool: "mail.send", args: { text } });
      await clock.advance(2_000);
      return approvalId;
    },
    /** Ann writes this; the event's name tells what is delivered again from what is new. */
    say: async (text: string, eventId = `e${++messages}`): Promise<void> => {
      const sequence = ++messages;
      const message = { eventId, messageId: `m${sequence}`, account: ACCOUNT, chat: CHAT, text, at: clock.now() };
      await events?.said({ ...message, sequence, from: "person", secondHand: false });
    },
    state: async (approvalId: string) => (await gate.hostCard(approvalId))?.approval.state,
    close: async () => {
      store.mend();
      await desk.close();
      await gate.close();
    },
  };
}

/** A book whose verbs fail on cue. */
function faultyBook(): Book & { failNext(verb: "first" | "openIn", times: number): void } {
  const book = memoryBook();
  const left = { first: 0, openIn: 0 };
  const checked =
    <Args extends unknown[], Result>(verb: keyof typeof left, run: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (left[verb] === 0) return run(...args);
      left[verb] -= 1;
      throw new Error(`The book failed at "${verb}", as the test asked.`);
    };
  return {
    ...book,
    first: checked("first", (...asked: Parameters<Book["first"]>) => book.first(...asked)),
    openIn: checked("openIn", (...asked: Parameters<Book["openIn"]>) => book.openIn(...asked)),
    failNext: (verb, times) => void (left[verb] += times),
  };
}
