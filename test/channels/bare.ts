import { onTestFinished } from "vitest";
import type { Channel, ChannelError } from "../../src/channels/channel.js";
import { RecordedEvents } from "./events.js";
import type { StandIn } from "./stand-in.js";

/** A stand-in whose channels can be set up in more than one way. */
export interface BareStandIn extends StandIn {
  channel(options?: never): Channel;
  /** The app was removed from the chat, or blocked in it. */
  remove(chatId: string): void;
}

/** A platform, and a host that remembers what a channel told it: no desk and no gate stand behind them. */
export interface Bare<Platform extends BareStandIn> {
  readonly platform: Platform;
  readonly events: RecordedEvents;
  readonly team: { readonly kind: "group"; readonly id: string };
  readonly ann: { readonly kind: "private"; readonly id: string };
  readonly started: (options?: Parameters<Platform["channel"]>[0], host?: RecordedEvents) => Promise<Channel>;
}

/** Ends with its test, which fails if a rule of the platform was broken in it. */
export async function bare<Platform extends BareStandIn>(opening: Promise<Platform>): Promise<Bare<Platform>> {
  const platform = await opening;
  onTestFinished(async () => {
    await platform.close();
    if (platform.faults.length > 0) throw new Error(`The platform complains: ${platform.faults.join("; ")}`);
  });
  const events = new RecordedEvents();
  return {
    platform,
    events,
    team: { kind: "group", id: platform.chats.team },
    ann: { kind: "private", id: platform.chats.ann },
    started: async (options, host = events) => {
      const channel = platform.channel(options as never);
      await channel.start(host);
      return channel;
    },
  };
}

export function reasonOf(sending: Promise<unknown>): Promise<string> {
  return sending.then(
    () => "sent",
    (error: ChannelError) => error.reason,
  );
}
