import { describe, expect, it } from "vitest";
import type { RefusedCallback } from "../channel.js";
import { MAX_BODY } from "../webhook.js";
import { telegramWebhook } from "./webhook.js";

const SECRET = "s3cret_of-the-webhook_0123456789abcdef";
const HEADER = "x-telegram-bot-api-secret-token";

function standing() {
  const handled: unknown[] = [];
  const refused: RefusedCallback[] = [];
  const webhook = telegramWebhook(
    SECRET,
    async (update) => void handled.push(update),
    async (why) => void refused.push(why),
  );
  const post = async (headers: Record<string, string>, body: string | Buffer = '{"update_id":1}') =>
    (await webhook({ headers, body: Buffer.from(body) })).status;
  return { handled, refused, post };
}

describe("a Telegram webhook", () => {
  it("handles what comes with the secret before it says so", async () => {
    const { handled, refused, post } = standing();
    expect(await post({ [HEADER]: SECRET })).toBe(200);
    expect(handled).toEqual([{ update_id: 1 }]);
    expect(refused).toEqual([]);
  });

  it.each([
    ["no secret", {}],
    ["a blank one", { [HEADER]: "" }],
    ["another", { [HEADER]: SECRET.replace("s3", "s4") }],
    ["its beginning", { [HEADER]: SECRET.slice(0, -1) }],
    ["one more letter", { [HEADER]: `${SECRET}0` }],
    ["two of them", { [HEADER]: `${SECRET}, ${SECRET}` }],
  ])("refuses %s, once, and looks at nothing (attack E6)", async (_, headers) => {
    const { handled, refused, post } = standing();
    expect(await post(headers, "{not json")).toBe(401);
    expect(handled).toEqual([]);
    expect(refused).toEqual(["signature"]);
  });

  it("refuses what is too large before anything else (attack E2)", async () => {
    const { refused, post } = standing();
    expect(await post({ [HEADER]: SECRET }, Buffer.alloc(MAX_BODY + 1))).toBe(413);
    expect(refused).toEqual(["too_large"]);
  });

  it("refuses what is not JSON", async () => {
    const { refused, post } = standing();
    expect(await post({ [HEADER]: SECRET }, "{")).toBe(400);
    expect(refused).toEqual(["malformed"]);
  });
});
