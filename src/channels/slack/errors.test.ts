import { describe, expect, it } from "vitest";
import { channelErrorOf, tokenProblemOf } from "./errors.js";

const platform = (error: string) =>
  Object.assign(new Error(error), { code: "slack_webapi_platform_error", data: { error } });

describe("what Slack's errors mean", () => {
  it.each([
    ["ratelimited", "busy"],
    ["internal_error", "down"],
    ["service_unavailable", "down"],
    ["channel_not_found", "gone"],
    ["not_in_channel", "gone"],
    ["is_archived", "gone"],
    ["message_not_found", "gone"],
    ["invalid_blocks", "refused"],
    ["msg_blocks_too_long", "refused"],
    ["token_revoked", "refused"],
    ["something_new", "refused"],
  ])("%s is %s", (error, reason) => {
    expect(channelErrorOf(platform(error)).reason).toBe(reason);
  });

  it("passes on how long Slack asks to wait", () => {
    const limited = Object.assign(new Error("limited"), { code: "slack_webapi_rate_limited_error", retryAfter: 30 });
    expect(channelErrorOf(limited)).toMatchObject({ reason: "busy", retryAfter: 30_000 });
  });

  it("takes 5xx and silence for down, and other statuses for refused", () => {
    const http = (statusCode: number) =>
      Object.assign(new Error("http"), { code: "slack_webapi_http_error", statusCode });
    expect(channelErrorOf(http(503)).reason).toBe("down");
    expect(channelErrorOf(http(404)).reason).toBe("refused");
    expect(channelErrorOf(Object.assign(new Error("no"), { code: "slack_webapi_request_error" })).reason).toBe("down");
    expect(channelErrorOf(undefined).reason).toBe("down");
  });

  it("names what an operator has to mend", () => {
    expect(tokenProblemOf(platform("invalid_auth"))).toBe("invalid_auth");
    expect(tokenProblemOf(platform("channel_not_found"))).toBeUndefined();
    expect(tokenProblemOf(new Error("offline"))).toBeUndefined();
  });
});
