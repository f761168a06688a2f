import { describe, expect, it } from "vitest";
import { failureOf, isExpiredToken, refusalOf } from "./failure.js";

const failed = (status: number, code?: number, headers: object = {}) =>
  failureOf({ isAxiosError: true, message: "failed", response: { status, data: { code, msg: "why" }, headers } });

describe("a message that did not get through to Feishu", () => {
  it("is busy when the platform says how long to wait, in the new form and the old", () => {
    const headers = { "x-ogw-ratelimit-reset": "52" };
    expect(failed(429, 99991400, headers)).toMatchObject({ reason: "busy", retryAfter: 52_000 });
    expect(failed(400, 99991400, headers)).toMatchObject({ reason: "busy", retryAfter: 52_000 });
    expect(failed(400, 230020)).toMatchObject({ reason: "busy" });
    expect(failed(400, 230020).retryAfter).toBeUndefined();
    expect(failed(429, 0, { "x-ogw-ratelimit-reset": "soon" }).retryAfter).toBeUndefined();
    expect(refusalOf({ code: 230020 })).toMatchObject({ reason: "busy" });
  });

  it.each([500, 502, 503, 504])("is down at status %i", (status) => {
    expect(failed(status).reason).toBe("down");
  });

  it("is down when nobody answers, and tells nothing of the request", () => {
    const error = failureOf({
      isAxiosError: true,
      message: "ECONNREFUSED",
      config: { headers: { Authorization: "t-1" } },
    });
    expect(error).toMatchObject({ reason: "down", cause: undefined });
    expect(error.message).toContain("ECONNREFUSED");
  });

  it.each([230002, 230045, 230013, 230011, 230031])("is gone with code %i", (code) => {
    expect(failed(400, code).reason).toBe("gone");
    expect(refusalOf({ code, msg: "why" }).reason).toBe("gone");
  });

  it.each([230001, 230025, 230027, 230099, 99991672, 1])("is refused with code %i", (code) => {
    expect(failed(400, code)).toMatchObject({ reason: "refused" });
    expect(failed(400, code).message).toContain(String(code));
  });

  it.each([new Error("failed to get tenant_access_token, code: 10014"), undefined, null, "text", {}])(
    "is refused when the library throws %j",
    (thrown) => {
      expect(failureOf(thrown).reason).toBe("refused");
    },
  );

  it("is worth another token only when the token was the reason", () => {
    const thrown = (code: number) => ({ response: { status: 400, data: { code } } });
    expect([99991663, 99991664, 99991677].every((code) => isExpiredToken(thrown(code)))).toBe(true);
    expect([isExpiredToken(thrown(230001)), isExpiredToken(undefined), isExpiredToken(new Error("x"))]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
