import { z } from "zod";
import { CountersignError } from "../core/errors.js";
import { readConfigFile } from "./load.js";

const secret = z.string().trim().min(1, "is empty");
const url = z.url({ protocol: /^https?$/ });
const locale = z.enum(["en", "zh"]);
/** Group chats that hear of every question, by the platform's id. */
const groups = z.array(z.string().min(1)).default([]);

const feishu = z.strictObject({
  appId: secret,
  appSecret: secret,
  mode: z.enum(["connection", "webhook"]).optional(),
  encryptKey: secret.optional(),
  verificationToken: secret.optional(),
  baseUrl: url.optional(),
  locale: locale.default("zh"),
  groups,
});

const dingtalk = z.strictObject({
  clientId: secret,
  clientSecret: secret,
  corpId: secret,
  robotCode: secret.optional(),
  templateId: secret.optional(),
  baseUrl: url.optional(),
  locale: locale.default("zh"),
  groups,
});

const slack = z.strictObject({
  botToken: secret,
  appToken: secret.optional(),
  signingSecret: secret.optional(),
  mode: z.enum(["connection", "webhook"]).optional(),
  baseUrl: url.optional(),
  locale: locale.default("en"),
  groups,
});

const telegram = z.strictObject({
  token: secret,
  apiRoot: url.optional(),
  webhook: z.strictObject({ url, secret }).optional(),
  locale: locale.default("en"),
  groups,
});

const words = z.array(z.string().min(1)).optional();

/** Chat platforms and how they are reached. A platform that is not named is not used. */
const channelsSchema = z.strictObject({
  feishu: feishu.optional(),
  dingtalk: dingtalk.optional(),
  slack: slack.optional(),
  telegram: telegram.optional(),
  /** Words that mean yes and no here, besides the usual ones. */
  words: z.strictObject({ approve: words, deny: words }).optional(),
  /** What an answer that is neither does: it leaves the question open, or cancels it. */
  unclear: z.enum(["ask", "cancel"]).default("ask"),
});
export type ChannelsConfig = z.output<typeof channelsSchema>;

const FROM_ENVIRONMENT = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;

/** Reads the file; `env:NAME` stands for a variable, so that secrets need not be written down. Throws with every problem. */
export function readChannels(path: string, environment: Readonly<Record<string, string | undefined>>): ChannelsConfig {
  const missing: string[] = [];
  const resolved = withVariables(readConfigFile(path), environment, missing);
  if (missing.length > 0) {
    throw new CountersignError("invalid_request", `${path} names variables that are not set: ${missing.join(", ")}.`);
  }
  const read = channelsSchema.safeParse(resolved);
  if (read.success) return read.data;
  // Values are not repeated: they may be secrets.
  const problems = read.error.issues.map(({ path: at, message }) => `${path}, ${at.join(".") || "top"}: ${message}.`);
  throw new CountersignError("invalid_request", problems.join("\n"));
}

function withVariables(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  missing: string[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => withVariables(item, environment, missing));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withVariables(inner, environment, missing)]),
    );
  }
  const name = typeof value === "string" ? FROM_ENVIRONMENT.exec(value)?.[1] : undefined;
  if (name === undefined) return value;
  const given = environment[name] ?? "";
  if (given.trim() === "") missing.push(name);
  return given;
}
