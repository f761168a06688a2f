import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verify } from "./verify.js";

/** The example of Slack's guide to verifying requests. */
const PUBLISHED = {
  secret: "8f742231b10e8888abcd99yyyzzz85a5",
  timestamp: "1531420618",
  body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
  signature: "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
};
const NOW = Number(PUBLISHED.timestamp) * 1000;

function judged(over: Partial<typeof PUBLISHED> & { headers?: object } = {}, now = NOW) {
  const { secret, timestamp, body, signature, headers } = { ...PUBLISHED, ...over };
  const given = { "x-slack-signature": signature, "x-slack-request-timestamp": timestamp, ...headers };
  return verify({ headers: given, body: Buffer.from(body) }, secret, now);
}

describe("Slack's signature", () => {
  it("holds for the published example", () => {
    expect(judged()).toBe("genuine");
  });

  it.each([
    ["one byte of the body differs", { body: PUBLISHED.body.replace("roadrunner", "roadrunnes") }],
    ["a byte follows", { body: `${PUBLISHED.body} ` }],
    ["the time differs", { timestamp: "1531420619" }],
    ["the time is not a number", { timestamp: "1531420618.0" }],
    ["the time is signed", { timestamp: "+1531420618" }],
    ["the secret is another app's", { secret: "8f742231b10e8888abcd99yyyzzz85a6" }],
    ["it is cut", { signature: PUBLISHED.signature.slice(0, -1) }],
    ["it is of another version", { signature: PUBLISHED.signature.replace("v0", "v1") }],
    ["it is in capitals", { signature: PUBLISHED.signature.toUpperCase() }],
    ["it is blank", { signature: "" }],
    ["it is missing", { headers: { "x-slack-signature": undefined } }],
    ["it came twice", { signature: `${PUBLISHED.signature}, ${PUBLISHED.signature}` }],
    ["the time is missing", { headers: { "x-slack-request-timestamp": undefined } }],
  ])("does not hold when %s (attack E1)", (_, over) => {
    expect(judged(over)).toBe("signature");
  });

  it("does not hold when it was made with a blank secret", () => {
    const signature = `v0=${createHmac("sha256", "").update(`v0:${PUBLISHED.timestamp}:${PUBLISHED.body}`).digest("hex")}`;
    expect(judged({ signature })).toBe("signature");
  });

  it.each([
    [-300, "genuine"],
    [-301, "stale"],
    [300, "genuine"],
    [301, "stale"],
  ])("judged %i seconds after its time is %s (attack E3)", (seconds, verdict) => {
    expect(judged({}, NOW + seconds * 1000)).toBe(verdict);
  });
});
