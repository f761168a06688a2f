import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../core/clock.js";
import type { ChannelError } from "../channel.js";
import { type Api, dingtalkApi } from "./api.js";

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An interface whose tokens are good, and which answers everything else as told. */
async function answering(reply: Reply, now = Date.now()): Promise<Api & { readonly tokens: () => number }> {
  let tokens = 0;
  const server = createServer((request, response) => {
    const token = request.url === "/v1.0/oauth2/accessToken";
    if (token) tokens += 1;
    const { status = 200, headers = {}, body } = token ? { body: '{"accessToken":"t","expireIn":7200}' } : reply;
    response.writeHead(status, headers).end(body);
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = { ...systemClock, now: () => now };
  return Object.assign(dingtalkApi({ baseUrl, clientId: "id", clientSecret: "secret", clock }), {
    tokens: () => tokens,
  });
}

async function failure(reply: Reply): Promise<ChannelError> {
  const api = await answering(reply);
  return api
    .call("POST", "/v1.0/robot/groupMessages/send", { content: "private words" }, z.object({ ok: z.literal(1) }))
    .then(
      () => {
        throw new Error("It should have failed.");
      },
      (thrown: unknown) => thrown as ChannelError,
    );
}

const code = (status: number, name: string): Reply => ({
  status,
  body: JSON.stringify({ code: name, message: "private words" }),
});

describe("what DingTalk answers", () => {
  it.each([
    ["busy", code(429, "anything")],
    ["busy", code(403, "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi")],
    ["busy", code(403, "Forbidden.AccessDenied.QpsLimitForApi")],
    ["busy", code(400, "send.too.fast")],
    ["down", code(500, "system.busy")],
    ["down", { status: 502, body: "<html>bad gateway</html>" }],
    ["down", { body: "<html>a page in place of an answer</html>" }],
    ["down", { body: '{"ok":2}' }],
    ["gone", code(400, "param.cardNotExist")],
    ["gone", code(400, "invalid.openConversationId")],
    ["gone", code(400, "resource.unavailable")],
    ["gone", code(400, "staffId.notExisted")],
    ["gone", code(404, "")],
    ["refused", code(400, "param.templateNotExist")],
    ["refused", code(400, "param.contentUnsafe")],
    ["refused", code(403, "Forbidden.AccessDenied.AccessTokenPermissionDenied")],
    ["refused", code(401, "InvalidAuthentication")],
  ] as const)("is %s for %j", async (reason, reply) => {
    const error = await failure(reply);
    expect(error).toMatchObject({ name: "ChannelError", reason });
    expect(error.message).not.toContain("private words");
  });

  it("says how long to wait where DingTalk does", async () => {
    expect(await failure({ ...code(429, "x"), headers: { "retry-after": "7" } })).toMatchObject({ retryAfter: 7000 });
    expect((await failure(code(429, "x"))).retryAfter).toBeUndefined();
  });

  it("repeats no code that is none", async () => {
    expect((await failure(code(400, "your secret is: x"))).message).toBe("DingTalk answered 400.");
  });

  it("is as late as its clock can mean: a reply within the same second is not taken for an earlier one", async () => {
    const api = await answering({ body: "{}", headers: { date: "Mon, 16 Nov 2026 05:00:07 GMT" } });
    const { at } = await api.call("PUT", "/", {}, z.unknown());
    expect(new Date(at).toISOString()).toBe("2026-11-16T05:00:07.999Z");
  });

  it("is not followed elsewhere", async () => {
    expect(await failure({ status: 302, body: "", headers: { location: "http://127.0.0.1:9/" } })).toMatchObject({
      reason: "down",
    });
  });

  it("asks for a token once more when one is refused, and no more than that", async () => {
    const api = await answering(code(401, "InvalidAuthentication"));
    await expect(api.call("POST", "/", {}, z.unknown())).rejects.toMatchObject({ reason: "refused" });
    expect(api.tokens()).toBe(2);
  });
});
