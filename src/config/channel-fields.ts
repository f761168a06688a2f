import type { ChannelsConfig } from "./channels.js";

type Platform = Exclude<keyof ChannelsConfig, "words" | "unclear">;

export interface ChannelField {
  readonly name: string;
  /** Where the operator finds it. */
  readonly help: string;
  readonly secret?: boolean;
  readonly optional?: boolean;
}

/** What setting a channel up asks for, in the order in which the platforms' consoles show it. */
export const CHANNEL_FIELDS: Readonly<Record<Platform, readonly ChannelField[]>> = {
  feishu: [
    { name: "appId", help: "App ID, under Credentials & Basic Info of a self-built app (cli_…)" },
    { name: "appSecret", help: "App Secret, on the same page", secret: true },
    { name: "baseUrl", help: "https://open.larksuite.com for Lark; empty for Feishu", optional: true },
  ],
  dingtalk: [
    { name: "clientId", help: "Client ID (AppKey), under Credentials of an internal app" },
    { name: "clientSecret", help: "Client Secret (AppSecret), on the same page", secret: true },
    { name: "corpId", help: "CorpId, at the top of the developer console" },
    { name: "templateId", help: "id of a published card template; empty to go without", optional: true },
  ],
  slack: [
    { name: "botToken", help: "Bot User OAuth Token, under OAuth & Permissions (xoxb-…)", secret: true },
    {
      name: "appToken",
      help: "app-level token with connections:write, under Basic Information (xapp-…)",
      secret: true,
    },
  ],
  telegram: [{ name: "token", help: "the token that BotFather gives for the bot", secret: true }],
};

export const PLATFORMS = Object.keys(CHANNEL_FIELDS) as readonly Platform[];

export function isPlatform(name: string): name is Platform {
  return PLATFORMS.includes(name as Platform);
}
