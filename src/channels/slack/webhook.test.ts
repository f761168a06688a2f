import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RefusedCallback } from "../channel.js";
import { MAX_BODY } from "../webhook.js";
import { slackWebhook } from "./webhook.js";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const NOW = 1_700_000_000_000;

function standing(handle = async (_: unknown) => {}) {
  const handled: unknown[] = [];
  const refused: RefusedCallback[] = [];
  let now = NOW;
  const webhook = slackWebhook({
    secret: SECRET,
    clock: { now: () => now },
    handle: async (body) => {
      handled.push(body);
      await handle(body);
    },
    refused: async (why) => void refused.push(why),
  });
  const post = async (body: string | Buffer, { at = NOW, secret = SECRET } = {}) => {
    const timestamp = String(at / 1000);
    const signature = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex");
    const headers = { "x-slack-signature": `v0=${signature}`, "x-slack-request-timestamp": timestamp };
    return await webhook({ headers, body: Buffer.from(body) });
  };
  return { handled, refused, post, setNow: (time: number) => (now = time) };
}

describe("Slack's requests", () => {
  it("answers the challenge that proves the address", async () => {
    const { post, handled } = standing();
    expect(await post('{"type":"url_verification","challenge":"c1"}')).toEqual({
      status: 200,
      body: '{"challenge":"c1"}',
    });
    expect(handled).toEqual([]);
  });

  it("reads events as JSON and clicks from a form", async () => {
    const { post, handled } = standing();
    expect((await post('{"type":"event_callback"}')).status).toBe(200);
    expect((await post(`payload=${encodeURIComponent('{"type":"block_actions"}')}`)).status).toBe(200);
    expect(handled).toEqual([{ type: "event_callback" }, { type: "block_actions" }]);
  });

  it("refuses what another secret signed, once, and parses nothing of it (attacks E1, E2)", async () => {
    const { post, handled, refused } = standing();
    expect((await post("{".repeat(100_000), { secret: `${SECRET}0` })).status).toBe(401);
    expect(refused).toEqual(["signature"]);
    expect(handled).toEqual([]);
  });

  it("refuses what is too large without a look at its signature (attack E2)", async () => {
    const { post, refused } = standing();
    expect((await post(Buffer.alloc(MAX_BODY + 1))).status).toBe(413);
    expect(refused).toEqual(["too_large"]);
  });

  it("refuses what is old or from the future (attack E3)", async () => {
    const { post, refused, handled } = standing();
    expect((await post("{}", { at: NOW - 301_000 })).status).toBe(401);
    expect((await post("{}", { at: NOW + 301_000 })).status).toBe(401);
    expect(refused).toEqual(["stale", "stale"]);
    expect(handled).toEqual([]);
  });

  it("handles the same signed bytes once, as long as they are fresh, and gives the first answer again (attack E3)", async () => {
    const { post, refused, handled, setNow } = standing();
    const body = '{"type":"event_callback"}';
    const first = await post(body, { at: NOW + 300_000 });
    setNow(NOW + 299_000);
    expect(await post(body, { at: NOW + 300_000 })).toEqual(first);
    setNow(NOW + 600_000);
    expect(await post(body, { at: NOW + 300_000 })).toEqual(first);
    setNow(NOW + 601_000);
    expect((await post(body, { at: NOW + 300_000 })).status).toBe(401);
    expect(handled).toHaveLength(1);
    expect(refused).toEqual(["replayed", "replayed", "stale"]);
  });

  it("lets a replay wait for the answer that is on its way", async () => {
    let finish = () => {};
    const { post, handled } = standing(() => new Promise<void>((resolve) => (finish = resolve)));
    const both = Promise.all([post("{}"), post("{}")]);
    await Promise.resolve();
    finish();
    expect((await both).map(({ status }) => status)).toEqual([200, 200]);
    expect(handled).toHaveLength(1);
  });

  it.each(["not json", "payload=not json", "payload=", "[1", "payload=3", "ssl_check=1"])(
    "refuses %j, which has not the form",
    async (body) => {
      const { post, refused } = standing();
      expect((await post(body)).status).toBe(400);
      expect(refused).toEqual(["malformed"]);
    },
  );

  it("answers in time while its host is still busy", async () => {
    const { post } = standing(() => new Promise(() => undefined));
    expect((await post("{}")).status).toBe(200);
  });
});
