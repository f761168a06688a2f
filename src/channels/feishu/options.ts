import { CountersignError } from "../../core/errors.js";
import { parseUrl } from "../../core/parse-url.js";
import type { Clock } from "../../core/ports.js";

export interface FeishuOptions {
  /** Of a self-built app, as the developer console shows it: `cli_` and 16 hex digits. */
  readonly appId: string;
  readonly appSecret: string;
  /** How events arrive. A long connection needs no public address; a webhook needs an Encrypt Key. */
  readonly mode?: "connection" | "webhook";
  /** For webhooks: signs and encrypts what the platform sends. Without one they prove nothing, so start refuses. */
  readonly encryptKey?: string;
  /** For webhooks: compared with the token in each event, in addition to the signature. */
  readonly verificationToken?: string;
  /** `https://open.feishu.cn`, unless it says otherwise; Lark is at `https://open.larksuite.com`. */
  readonly baseUrl?: string;
  readonly clock?: Clock;
}

export type CheckedOptions = Required<Pick<FeishuOptions, "appId" | "appSecret" | "baseUrl">>;

export interface WebhookKeys {
  readonly appId: string;
  readonly encryptKey: string;
  readonly verificationToken?: string;
}

/** What every mode needs; says which option to mend, and never what a secret was. */
export function checkOptions({ appId, appSecret, baseUrl }: FeishuOptions): CheckedOptions {
  // The official library starts nothing and says nothing when the id looks otherwise.
  if (typeof appId !== "string" || !/^cli_[0-9a-fA-F]{16}$/.test(appId)) {
    throw wrong("appId", 'is "cli_" and 16 hexadecimal digits, as under Credentials in the developer console');
  }
  return { appId, appSecret: secret("appSecret", appSecret), baseUrl: checkUrl(baseUrl ?? "https://open.feishu.cn") };
}

export function checkWebhookKeys({ appId, encryptKey, verificationToken }: FeishuOptions): WebhookKeys {
  return {
    appId,
    encryptKey: secret("encryptKey", encryptKey),
    ...(verificationToken === undefined ? {} : { verificationToken: secret("verificationToken", verificationToken) }),
  };
}

function secret(name: string, value: string | undefined): string {
  if (typeof value !== "string" || value.trim() === "") {
    throw wrong(name, "is missing or blank: without it anybody could answer in a person's name");
  }
  if (value !== value.trim()) throw wrong(name, "begins or ends with a blank: copy it again");
  return value;
}

function checkUrl(given: string): string {
  const url = parseUrl(given);
  const local = url !== undefined && ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  // The app's secret goes there.
  if (url === undefined || !(url.protocol === "https:" || (url.protocol === "http:" && local))) {
    throw wrong("baseUrl", "is an https address, such as https://open.larksuite.com");
  }
  return url.href.replace(/\/+$/, "");
}

function wrong(name: string, problem: string): CountersignError {
  return new CountersignError("invalid_request", `Feishu: ${name} ${problem}.`, { path: name });
}
