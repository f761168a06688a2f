import { existsSync } from "node:fs";
import { join } from "node:path";
import { MessageBus } from "../../channels/bus.js";
import type { Channel, ChannelName } from "../../channels/channel.js";
import { Desk } from "../../channels/desk.js";
import { type ChannelsConfig, readChannels } from "../../config/channels.js";
import type { ReplyRules } from "../../core/reply-rules.js";
import type { Service } from "../service.js";
import { serverDirectory } from "./directory.js";
import { makeChannels } from "./make-channels.js";
import { sqlBook } from "./sql-book.js";

/** Chat platforms and how people answer there. */
export interface ChannelSetup extends Pick<ChannelsConfig, "words" | "unclear"> {
  /** In the order in which a person's accounts are tried. */
  readonly channels: readonly Channel[];
  readonly locales: Partial<Record<ChannelName, "en" | "zh">>;
  /** Groups that hear of every question of the first workspace. */
  readonly groups: readonly { readonly channel: ChannelName; readonly chatId: string }[];
}

/** The channels that a file sets up; undefined when there is none. A file that was named has to be there. */
export function channelsFrom(
  file: string | undefined,
  data: string,
  environment: Readonly<Record<string, string | undefined>>,
): ChannelSetup | undefined {
  const path = file ?? join(data, "countersign.channels.yaml");
  if (file === undefined && !existsSync(path)) return undefined;
  return channelSetup(readChannels(path, environment));
}

export function channelSetup(config: ChannelsConfig): ChannelSetup {
  const channels = makeChannels(config);
  return {
    channels,
    locales: Object.fromEntries(channels.map(({ name }) => [name, config[name]?.locale])),
    groups: channels.flatMap(({ name }) => (config[name]?.groups ?? []).map((chatId) => ({ channel: name, chatId }))),
    unclear: config.unclear,
    ...(config.words === undefined ? {} : { words: config.words }),
  };
}

/** A desk and a bus on this server's gate and people. Not connected yet. */
export function openDesk(service: Service, setup: ChannelSetup): { readonly desk: Desk; readonly bus: MessageBus } {
  const { gate, identity, doors, live, clock, notice, policy } = service;
  const directory = serverDirectory({
    identity,
    channels: setup.channels.map(({ name }) => name),
    ...(policy === undefined ? {} : { policy: policy.current }),
  });
  const [origin] = doors.origins;
  const desk = new Desk({
    gate,
    directory,
    channels: setup.channels,
    book: sqlBook(identity.database),
    workspaces: () => identity.persons.allWorkspaces(),
    ...(origin === undefined ? {} : { origin }),
    groups: setup.groups.map((group) => ({ workspaceId: gate.caller.workspaceId, ...group })),
    locales: setup.locales,
    ...usualReplies(setup),
    clock,
    notice,
  });
  live.reachBy((approval) => desk.reaches(approval));
  return { desk, bus: new MessageBus({ gate, desk, directory }) };
}

/** How answers are read in workspaces that have not said otherwise. */
export function usualReplies({ words, unclear }: ChannelSetup): ReplyRules {
  return { words: { approve: words?.approve ?? [], deny: words?.deny ?? [] }, unclear };
}
