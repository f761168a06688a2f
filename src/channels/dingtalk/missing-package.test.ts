import { expect, it, vi } from "vitest";
import { dingtalkChannel } from "./channel.js";

vi.mock("dingtalk-stream", () => {
  throw new Error("Cannot find package 'dingtalk-stream'");
});

it("says what to install when DingTalk's library is not there", async () => {
  const channel = dingtalkChannel({ clientId: "id", clientSecret: "secret", corpId: "ding1" });
  const quiet = {
    clicked: async () => ({ kind: "info", text: "" }) as const,
    said: async () => undefined,
    refused: async () => undefined,
    line: () => undefined,
  };
  await expect(channel.start(quiet)).rejects.toMatchObject({
    code: "missing_dependency",
    message: 'The DingTalk channel needs the "dingtalk-stream" package. Install it: npm i dingtalk-stream',
  });
});
