import { afterEach, expect, it, vi } from "vitest";
import { RecordedEvents } from "./events.js";

afterEach(() => {
  for (const name of ["grammy", "@slack/web-api", "@slack/socket-mode"]) vi.doUnmock(name);
});

function missing(name: string): void {
  vi.resetModules();
  vi.doMock(name, () => {
    throw Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" });
  });
}

it("says how to install what the Telegram channel needs", async () => {
  missing("grammy");
  const { telegramChannel } = await import("../../src/channels/telegram/channel.js");
  await expect(telegramChannel({ token: "1:a" }).start(new RecordedEvents())).rejects.toMatchObject({
    code: "missing_dependency",
    message: expect.stringContaining("npm i grammy") as string,
  });
});

it.each(["@slack/web-api", "@slack/socket-mode"])(
  "says how to install what the Slack channel needs of %s",
  async (name) => {
    missing(name);
    const { slackChannel } = await import("../../src/channels/slack/channel.js");
    const channel = slackChannel({ botToken: "xoxb-1", appToken: "xapp-1" });
    await expect(channel.start(new RecordedEvents())).rejects.toMatchObject({
      code: "missing_dependency",
      message: expect.stringContaining("npm i @slack/web-api @slack/socket-mode") as string,
    });
  },
);
