import type { Channel } from "../../channels/channel.js";
import { dingtalkChannel } from "../../channels/dingtalk/channel.js";
import { feishuChannel } from "../../channels/feishu/channel.js";
import { slackChannel } from "../../channels/slack/channel.js";
import { telegramChannel } from "../../channels/telegram/channel.js";
import type { ChannelsConfig } from "../../config/channels.js";

/** One channel for each platform that the file names, in the order in which a person's accounts are tried. */
export function makeChannels({ feishu, dingtalk, slack, telegram }: ChannelsConfig): readonly Channel[] {
  return [
    ...(feishu === undefined ? [] : [feishuChannel(options(feishu))]),
    ...(dingtalk === undefined ? [] : [dingtalkChannel(options(dingtalk))]),
    ...(slack === undefined ? [] : [slackChannel(options(slack))]),
    ...(telegram === undefined ? [] : [telegramChannel(options(telegram))]),
  ];
}

/** What concerns the platform alone; what was not said is left out. */
function options<T extends { readonly locale: string; readonly groups: readonly string[] }>(
  config: T,
): { [Key in keyof Omit<T, "locale" | "groups">]: Exclude<T[Key], undefined> } {
  const { locale: _locale, groups: _groups, ...rest } = config;
  const said = Object.entries(rest).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as { [Key in keyof Omit<T, "locale" | "groups">]: Exclude<T[Key], undefined> };
}
