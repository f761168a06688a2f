import { describe, expect, it } from "vitest";
import { channelErrorOf, isConflict, isNotModified, isUnknownToken } from "./errors.js";

const failure = (error_code: number, description: string, parameters = {}) =>
  Object.assign(new Error("Call failed"), { error_code, description, parameters });

describe("what Telegram's errors mean", () => {
  it.each([
    [429, "Too Many Requests: retry after 7", "busy"],
    [500, "Internal Server Error", "down"],
    [502, "Bad Gateway", "down"],
    [403, "Forbidden: bot was blocked by the user", "gone"],
    [403, "Forbidden: bot was kicked from the supergroup chat", "gone"],
    [400, "Bad Request: chat not found", "gone"],
    [400, "Bad Request: message to edit not found", "gone"],
    [400, "Bad Request: group chat was upgraded to a supergroup chat", "gone"],
    [400, "Bad Request: message is too long", "refused"],
    [400, "Bad Request: BUTTON_DATA_INVALID", "refused"],
    [401, "Unauthorized", "refused"],
  ])("%i %s is %s", (code, description, reason) => {
    expect(channelErrorOf(failure(code, description)).reason).toBe(reason);
  });

  it("passes on how long Telegram asks to wait", () => {
    expect(channelErrorOf(failure(429, "Too Many Requests", { retry_after: 7 })).retryAfter).toBe(7_000);
    expect(channelErrorOf(failure(429, "Too Many Requests")).retryAfter).toBeUndefined();
  });

  it("never keeps an error that names the address, which holds the token", () => {
    const leaking = new Error("request to https://api.telegram.org/bot123:SECRET/sendMessage failed");
    const error = channelErrorOf(Object.assign(new Error("Network request failed"), { error: leaking }));
    expect(error.reason).toBe("down");
    expect(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain("SECRET");
  });

  it("tells apart what is no failure, what another process does, and what an operator must mend", () => {
    expect(isNotModified(failure(400, "Bad Request: message is not modified: specified new …"))).toBe(true);
    expect(isNotModified(failure(400, "Bad Request: message is too long"))).toBe(false);
    expect(isConflict(failure(409, "Conflict: terminated by other getUpdates request"))).toBe(true);
    expect(isUnknownToken(failure(404, "Not Found"))).toBe(true);
    expect(isUnknownToken(new Error("offline"))).toBe(false);
  });
});
