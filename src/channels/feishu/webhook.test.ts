import { beforeEach, describe, expect, it } from "vitest";
import { encryptedBody, signBytes, signedRequest } from "../../../test/channels/stand-ins/feishu/signing.js";
import { ManualClock } from "../../../test/gate/support.js";
import type { RefusedCallback } from "../channel.js";
import type { Webhook } from "../webhook.js";
import type { FlatEvent } from "./inbound.js";
import type { Received } from "./receive.js";
import { createWebhook, decrypt } from "./webhook.js";

const KEY = "an encrypt key";
const keys = { appId: "cli_a1b2c3d4e5f60718", encryptKey: KEY, verificationToken: "a token" };

let clock: ManualClock;
let webhook: Webhook;
let received: FlatEvent[];
let refusals: RefusedCallback[];
let answer: () => Promise<Received>;

beforeEach(() => {
  clock = new ManualClock();
  received = [];
  refusals = [];
  answer = async () => ({ answer: { toast: { type: "success", content: "Approved." } } });
  webhook = createWebhook({
    keys,
    clock,
    receive: async (_type, event) => {
      received.push(event);
      return await answer();
    },
    refused: async (why) => {
      refusals.push(why);
    },
  });
});

const seconds = () => Math.floor(clock.now() / 1000);
const event = (id = "event-1", header: object = {}) => ({
  schema: "2.0",
  header: { event_id: id, event_type: "card.action.trigger", token: "a token", app_id: keys.appId, ...header },
  event: { operator: { open_id: "ou_1" } },
});
const send = (body: unknown, at = seconds()) => webhook(signedRequest(body, KEY, at));

describe("a Feishu callback that holds", () => {
  it("is decrypted as the platform's published vector says", () => {
    expect(decrypt("test key", "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=")).toBe("hello world");
  });

  it("is taken in and answered with the card and the notice", async () => {
    const { status, body } = await send(event());
    expect([status, JSON.parse(body)]).toEqual([200, { toast: { type: "success", content: "Approved." } }]);
    expect(received).toHaveLength(1);
    expect(refusals).toEqual([]);
  });

  it("gets the first answer when the platform delivers it again, and is taken in once (attack E3)", async () => {
    const first = await send(event());
    await clock.advance(15_000);
    expect(await send(event())).toEqual(first);
    expect(received).toHaveLength(1);
    expect(refusals).toEqual([]);
  });

  it("is looked at anew when the host failed the first time", async () => {
    answer = async () => {
      throw new Error("the store is away");
    };
    expect(await send(event())).toEqual({ status: 500, body: "{}" });
    answer = async () => ({ answer: {} });
    expect(await send(event())).toEqual({ status: 200, body: "{}" });
    expect(received).toHaveLength(2);
  });

  it("answers the challenge of the developer console, which is encrypted and not signed", async () => {
    const challenge = { type: "url_verification", token: "a token", challenge: "abc" };
    const unsigned = { headers: {}, body: encryptedBody(challenge, KEY) };
    expect(await webhook(unsigned)).toEqual({ status: 200, body: '{"challenge":"abc"}' });
    expect(await send(challenge)).toEqual({ status: 200, body: '{"challenge":"abc"}' });
    expect([received, refusals]).toEqual([[], []]);
  });
});

describe("a Feishu callback that does not hold is refused, and told to the host once", () => {
  const refusedAs = async (why: RefusedCallback, status: number, sent: ReturnType<Webhook>) => {
    expect((await sent).status).toBe(status);
    expect(refusals).toEqual([why]);
    expect(received).toEqual([]);
  };

  it.each(["x-lark-signature", "x-lark-request-nonce", "x-lark-request-timestamp"])(
    "without the header %s (attack E1)",
    async (header) => {
      const { headers, body } = signedRequest(event(), KEY, seconds());
      await refusedAs("signature", 401, webhook({ headers: { ...headers, [header]: undefined }, body }));
    },
  );

  it.each(["", " ", "0", "z".repeat(64)])("with the signature %j (attack E1)", async (signature) => {
    const { headers, body } = signedRequest(event(), KEY, seconds());
    await refusedAs("signature", 401, webhook({ headers: { ...headers, "x-lark-signature": signature }, body }));
  });

  it("signed under another key", async () => {
    const body = encryptedBody(event(), KEY);
    await refusedAs("signature", 401, webhook(signBytes(body, "another key", seconds())));
  });

  it("signed under no key at all (attack E1)", async () => {
    await refusedAs("signature", 401, webhook(signBytes(encryptedBody(event(), ""), "", seconds())));
  });

  it("with one byte changed after it was signed", async () => {
    const { headers, body } = signedRequest(event(), KEY, seconds());
    await refusedAs("signature", 401, webhook({ headers, body: Buffer.concat([body, Buffer.from(" ")]) }));
  });

  it("with another time than was signed", async () => {
    const { headers, body } = signedRequest(event(), KEY, seconds() - 400);
    const fresh = { ...headers, "x-lark-request-timestamp": String(seconds()) };
    await refusedAs("signature", 401, webhook({ headers: fresh, body }));
  });

  it("encrypted, not signed, and no challenge", async () => {
    await refusedAs("signature", 401, webhook({ headers: {}, body: encryptedBody(event(), KEY) }));
  });

  it("a challenge in clear text, or with another token", async () => {
    const clear = Buffer.from(JSON.stringify({ type: "url_verification", token: "a token", challenge: "abc" }));
    await refusedAs("signature", 401, webhook({ headers: {}, body: clear }));
    const foreign = { type: "url_verification", token: "another", challenge: "abc" };
    expect((await webhook({ headers: {}, body: encryptedBody(foreign, KEY) })).status).toBe(401);
  });

  it.each([301, -301, 1_000_000])("%i seconds from now (attack E3)", async (shift) => {
    await refusedAs("stale", 401, send(event(), seconds() - shift));
  });

  it.each([299, -299])("but not yet %i seconds from now", async (shift) => {
    expect((await send(event(), seconds() - shift)).status).toBe(200);
  });

  it("the same bytes again, at once and within the window; afterwards they are stale (attack E3)", async () => {
    const captured = signedRequest(event(), KEY, seconds());
    expect((await webhook(captured)).status).toBe(200);
    expect(await webhook(captured)).toEqual({ status: 401, body: "{}" });
    await clock.advance(299_000);
    expect((await webhook(captured)).status).toBe(401);
    await clock.advance(2_000);
    expect((await webhook(captured)).status).toBe(401);
    expect(refusals).toEqual(["replayed", "replayed", "stale"]);
    expect(received).toHaveLength(1);
  });

  it("with another verification token", async () => {
    await refusedAs("signature", 401, send(event("event-1", { token: "another" })));
  });

  it("with clear text beside the ciphertext", async () => {
    const outer = { ...(JSON.parse(encryptedBody(event(), KEY).toString()) as object), event: { operator: "eve" } };
    await refusedAs("malformed", 400, webhook(signBytes(Buffer.from(JSON.stringify(outer)), KEY, seconds())));
  });

  it.each([
    "",
    "{",
    "[]",
    "null",
    '{"encrypt":1}',
    '{"encrypt":"AAAA"}',
    `{"encrypt":"${"A".repeat(64)}"}`,
    JSON.stringify(event()),
  ])("with the body %s", async (body) => {
    await refusedAs("malformed", 400, webhook(signBytes(Buffer.from(body), KEY, seconds())));
  });

  it("in the old form, without a header of its own", async () => {
    await refusedAs("malformed", 400, send({ open_id: "ou_1", action: { value: "yes" }, token: "a token" }));
  });

  it("of another app", async () => {
    answer = async () => ({ refused: "foreign_app" });
    expect((await send(event())).status).toBe(401);
    expect(refusals).toEqual(["foreign_app"]);
  });

  it("larger than 256 KB, before anything reads it (attack E2)", async () => {
    await refusedAs("too_large", 413, webhook({ headers: {}, body: Buffer.alloc(256 * 1024 + 1) }));
  });

  it("of 20,000 levels, signed or not (attack E2)", async () => {
    const deep = Buffer.from("[".repeat(20_000));
    expect((await webhook({ headers: {}, body: deep })).status).toBe(401);
    expect((await webhook(signBytes(deep, KEY, seconds()))).status).toBe(400);
    expect(received).toEqual([]);
  });
});
