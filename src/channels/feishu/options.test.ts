import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChannelEvents } from "../channel.js";
import { feishuChannel } from "./channel.js";
import { checkOptions } from "./options.js";

const GOOD = { appId: "cli_a1b2c3d4e5f60718", appSecret: "a secret" };
const NOBODY: ChannelEvents = {
  clicked: () => Promise.reject(new Error("nobody is there")),
  said: async () => {},
  refused: async () => {},
  line: () => {},
};

describe("the Feishu channel refuses to start", () => {
  const refusal = (path: string) => ({ name: "CountersignError", code: "invalid_request", details: { path } });

  it.each(["", "  ", "\t\n", undefined])("with the app's secret %j (attack E1)", async (appSecret) => {
    const channel = feishuChannel({ ...GOOD, appSecret: appSecret as string });
    await expect(channel.start(NOBODY)).rejects.toMatchObject(refusal("appSecret"));
  });

  it.each(["", " ", undefined])("as a webhook with the Encrypt Key %j (attack E1)", async (encryptKey) => {
    const options = { ...GOOD, mode: "webhook" as const, ...(encryptKey === undefined ? {} : { encryptKey }) };
    const channel = feishuChannel(options);
    await expect(channel.start(NOBODY)).rejects.toMatchObject(refusal("encryptKey"));
    expect(await channel.webhook?.({ headers: {}, body: Buffer.from("{}") })).toEqual({ status: 503, body: "{}" });
  });

  it("as a webhook with a blank verification token (attack E1)", async () => {
    const channel = feishuChannel({ ...GOOD, mode: "webhook", encryptKey: "a key", verificationToken: " " });
    await expect(channel.start(NOBODY)).rejects.toMatchObject(refusal("verificationToken"));
  });

  it.each(["", "cli_", "cli_a1b2c3d4e5f6071", "cli_a1b2c3d4e5f607189", "cli_g1b2c3d4e5f60718", "a1b2c3d4e5f60718"])(
    "with the app id %j, with which the library would wait in silence",
    async (appId) => {
      await expect(feishuChannel({ ...GOOD, appId }).start(NOBODY)).rejects.toMatchObject(refusal("appId"));
    },
  );

  it("with a secret that was copied with a blank", async () => {
    const channel = feishuChannel({ ...GOOD, appSecret: "a secret\n" });
    await expect(channel.start(NOBODY)).rejects.toThrow("copy it again");
  });

  it.each(["open.feishu.cn", "http://open.feishu.cn", "ftp://127.0.0.1", ""])("at the address %j", async (baseUrl) => {
    await expect(feishuChannel({ ...GOOD, baseUrl }).start(NOBODY)).rejects.toMatchObject(refusal("baseUrl"));
  });
});

describe("the options of the Feishu channel", () => {
  it("name Feishu unless they say otherwise", () => {
    expect(checkOptions(GOOD).baseUrl).toBe("https://open.feishu.cn");
    expect(checkOptions({ ...GOOD, baseUrl: "https://open.larksuite.com/" }).baseUrl).toBe(
      "https://open.larksuite.com",
    );
  });

  it("offer a webhook in webhook mode only", () => {
    expect(feishuChannel(GOOD)).not.toHaveProperty("webhook");
    expect(feishuChannel({ ...GOOD, mode: "webhook" })).toHaveProperty("webhook");
  });
});

describe("without the official package", () => {
  afterEach(() => {
    vi.doUnmock("@larksuiteoapi/node-sdk");
    vi.resetModules();
  });

  it("the Feishu channel says in one sentence what to install", async () => {
    vi.resetModules();
    vi.doMock("@larksuiteoapi/node-sdk", () => {
      throw new Error("Cannot find package");
    });
    const fresh = await import("./channel.js");
    await expect(fresh.feishuChannel(GOOD).start(NOBODY)).rejects.toMatchObject({
      code: "missing_dependency",
      message: expect.stringContaining("npm i @larksuiteoapi/node-sdk") as string,
    });
  });
});
