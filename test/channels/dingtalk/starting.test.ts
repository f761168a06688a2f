import { describe, expect, it, vi } from "vitest";
import { RecordedEvents } from "../events.js";
import { platform, started } from "./platform.js";

describe("starting the DingTalk channel", () => {
  it.each([
    ["clientId", ""],
    ["clientSecret", " "],
    ["clientSecret", "secret\n"],
    ["corpId", ""],
    ["robotCode", ""],
    ["templateId", "\t"],
    ["baseUrl", "http://api.dingtalk.com"],
    ["baseUrl", "http://127.0.0.1.evil.example"],
  ])("refuses %s %j (attack E1)", async (name, value) => {
    const standIn = await platform(true);
    expect(() => standIn.channel({ [name]: value })).toThrow(name);
  });

  it("says what to check when DingTalk refuses the app, and never the secret", async () => {
    const standIn = await platform(true);
    const channel = standIn.channel({ clientSecret: "a-wrong-secret" });
    const failed = channel.start(new RecordedEvents());
    await expect(failed).rejects.toMatchObject({ code: "invalid_request" });
    await expect(failed).rejects.toThrow(/client secret/);
    await expect(failed).rejects.not.toThrow(/a-wrong-secret/);
  });

  it("says that nobody is there when nobody is, which may pass by itself", async () => {
    const standIn = await platform(true);
    await standIn.down();
    await expect(standIn.channel().start(new RecordedEvents())).rejects.toMatchObject({
      name: "ChannelError",
      reason: "down",
    });
    await standIn.up();
  });

  it("happens once at a time, and again after it was closed", async () => {
    const standIn = await platform(true);
    const [channel, host] = await started(standIn);
    await expect(channel.start(new RecordedEvents())).rejects.toMatchObject({ code: "invalid_request" });
    await channel.close();
    await channel.start(host);
    expect(host.states).toEqual(["up", "up"]);
    await channel.close();
  });

  it("says nothing on standard output, which belongs to whoever runs it", async () => {
    const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const info = vi.spyOn(console, "info").mockReturnValue();
    const standIn = await platform(true);
    const [channel] = await started(standIn);
    await channel.close();
    const said = [...info.mock.calls, ...written.mock.calls];
    vi.restoreAllMocks();
    expect(said).toEqual([]);
  });

  it("can be called off while it happens", async () => {
    const standIn = await platform(true);
    const channel = standIn.channel();
    const starting = channel.start(new RecordedEvents()).catch(() => undefined);
    await channel.close();
    await starting;
    expect(standIn.gateway.connections).toBe(0);
  });
});
