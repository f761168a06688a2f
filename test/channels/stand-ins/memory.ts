import { type Channel, ChannelError, type ChannelEvents, type Chat } from "../../../src/channels/channel.js";
import { type CardFace, faceLines } from "../../../src/channels/face.js";
import type { ClickOptions, SayOptions, SeenMessage, StandIn } from "../stand-in.js";

interface Standing {
  readonly id: string;
  readonly chatId: string;
  face?: CardFace;
  text: string;
}

const LARGEST = 4_000;

/** The plainest platform there can be, in this process: what every other one is compared with. */
export async function memoryStandIn(): Promise<StandIn> {
  const messages: Standing[] = [];
  const delivered = new Map<string, Standing>();
  const listeners = new Set<ChannelEvents>();
  const failures: ("busy" | "down")[] = [];
  let isDown = false;
  let sequence = 0;
  const chats = { ann: "c-ann", bob: "c-bob", eve: "c-eve", team: "g-team" };
  const chatOf = (id: string): Chat => ({ kind: id === chats.team ? "group" : "private", id });
  const account = (id: string) => ({ channel: "telegram" as const, tenant: "acme", id });

  const check = () => {
    const failure = isDown ? "down" : failures.shift();
    if (failure !== undefined) throw new ChannelError(failure, "not now", failure === "busy" ? { retryAfter: 20 } : {});
  };
  const post = (chatId: string, content: Partial<Standing>): Standing => {
    const standing = { id: `m${++sequence}`, chatId, text: "", ...content };
    messages.push(standing);
    return standing;
  };
  // Each event reaches one instance, as on platforms with several connections.
  const events = () => [...listeners][sequence % Math.max(1, listeners.size)] as ChannelEvents;

  return {
    channel(): Channel {
      let mine: ChannelEvents | undefined;
      return {
        name: "telegram",
        spacing: 0,
        async start(given) {
          check();
          mine = given;
          listeners.add(given);
        },
        fits: (face) => faceLines(face).join("\n").length <= LARGEST,
        async deliver({ id }, face, deliveryId) {
          check();
          const standing = delivered.get(deliveryId) ?? post(id, { face });
          delivered.set(deliveryId, standing);
          return { messageId: standing.id, at: Date.now(), sequence: Number(standing.id.slice(1)) };
        },
        async redraw({ messageId }, face) {
          check();
          const standing = messages.find(({ id }) => id === messageId);
          if (standing === undefined) throw new ChannelError("gone", "no such message");
          standing.face = face;
        },
        async say({ id }, text) {
          check();
          post(id, { text });
        },
        async close() {
          if (mine !== undefined) listeners.delete(mine);
        },
      };
    },
    people: { ann: "u-ann", bob: "u-bob", eve: "u-eve" },
    tenant: "acme",
    chats,
    seen: (chatId) => messages.filter((each) => each.chatId === chatId).map(seenOf),
    async say(person, chatId, text, options: SayOptions = {}) {
      const place = ++sequence + (options.shift === undefined ? 0 : Math.sign(options.shift) * 1_000);
      for (let time = 0; time < (options.times ?? 1); time++) {
        await events().said({
          eventId: `e${sequence}`,
          messageId: `m${sequence}`,
          account: account(person),
          chat: chatOf(chatId),
          text,
          ...(options.replyTo === undefined ? {} : { replyTo: options.replyTo }),
          at: Date.now() + (options.shift ?? 0),
          sequence: place,
          from: options.machine ? "machine" : "person",
          secondHand: options.forwarded === true || options.edited === true,
        });
      }
    },
    async click(person, messageId, label, options: ClickOptions = {}) {
      const standing = messages.find(({ id }) => id === messageId);
      const button = standing?.face?.buttons.find((each) => each.label === label);
      const value = options.value ?? (button && "value" in button ? button.value : undefined);
      if (standing === undefined || value === undefined) throw new Error(`There is no button "${label}" to press.`);
      let told: string | undefined;
      for (let time = 0; time < (options.times ?? 1); time++) {
        const answer = await events().clicked({
          eventId: `k${messageId}${label}`,
          account: account(person),
          messageId: options.messageId ?? messageId,
          chatId: options.chatId ?? standing.chatId,
          value,
        });
        if (answer.face !== undefined) standing.face = answer.face;
        told = answer.text;
      }
      return told;
    },
    fail(how, count) {
      for (let time = 0; time < count; time++) failures.push(how);
    },
    async down() {
      isDown = true;
    },
    async up() {
      isDown = false;
      for (const listener of listeners) listener.line("up");
    },
    faults: [],
    close: async () => undefined,
  };
}

function seenOf({ id, face, text }: Standing): SeenMessage {
  const buttons = face?.buttons ?? [];
  return {
    id,
    text: face === undefined ? text : faceLines(face).join("\n"),
    buttons: buttons.filter(({ kind }) => kind !== "open").map(({ label }) => label),
    links: buttons.flatMap((each) => (each.kind === "open" ? [each.url] : [])),
    markup: [],
  };
}
