import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGate, memoryStore } from "../../src/index.js";
import type { AnyRoute } from "../../src/server/http/route.js";
import { serve } from "../../src/server/index.js";
import { ORIGIN, openServerWorld, type ServerWorld } from "./world.js";

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

async function asked(world: ServerWorld) {
  const { http, issued } = await world.agent();
  const { approvalId } = (await http.post<{ approvalId: string }>("/v1/calls", CALL)).body;
  return { http, issued, approvalId };
}

/** Whatever its kind, an answer as text; a stream is let go of. */
async function answerTo(world: ServerWorld, method: string, path: string, init: RequestInit = {}) {
  const response = await world.app.fetch(new Request(`${ORIGIN}${path}`, { ...init, method }));
  if (response.headers.get("content-type") !== "text/event-stream") return response.text();
  await response.body?.cancel();
  return "";
}

describe("methods that only look", () => {
  it("change nothing at any address, whoever sends them: previews and scanners follow links (attack E8)", async () => {
    const world = await openServerWorld();
    const { http, approvalId } = await asked(world);
    const before = (await world.gate.head("local")).seq;
    const addresses = new Set(
      world.routes.map(({ path }) => path.replaceAll("{approvalId}", approvalId).replaceAll(/\{\w+\}/g, "none")),
    );
    for (const path of addresses) {
      for (const method of ["GET", "HEAD", "OPTIONS"]) {
        for (const { headers } of [world.browser, http]) await answerTo(world, method, path, { headers });
      }
    }
    const entries = await world.gate.entries("local", before, 1_000);
    // That evidence was taken along, or a key used for the first time, is written down and changes nothing.
    const notes = ["evidence.exported", "key.first_used"];
    expect(entries.map(({ type }) => type).filter((type) => !notes.includes(type))).toEqual([]);
    expect((await world.gate.hostCard(approvalId))?.approval.state).toBe("pending");
    expect(world.ran).toEqual([]);
  });
});

describe("a secret that was put where it does not belong", () => {
  it("is in no answer, and in no entry of the log (attack F7)", async () => {
    const world = await openServerWorld();
    const { http, issued, approvalId } = await asked(world);
    const secret = issued.apiKey;
    const place = (path: string) => path.replaceAll("{approvalId}", approvalId).replaceAll(/\{\w+\}/g, secret);
    const bodyOf = ({ method }: AnyRoute) =>
      method === "get" ? {} : { body: JSON.stringify({ token: secret, response: { id: secret }, name: secret }) };
    for (const route of world.routes.filter(({ path }) => !["/v1/workspaces", "/v1/groups"].includes(path))) {
      for (const { headers } of [world.browser, http, { headers: { authorization: `Bearer ${secret}x` } }]) {
        const init = { headers: { ...headers, "content-type": "application/json" }, ...bodyOf(route) };
        const address = `${place(route.path)}?token=${secret}`;
        const told = await answerTo(world, route.method.toUpperCase(), address, init);
        expect(told.includes(secret), `${route.method} ${route.path}: ${told.slice(0, 300)}`).toBe(false);
      }
    }
    const entries = await world.gate.entries("local", 0, 1_000);
    expect(JSON.stringify(entries.map(({ content }) => content))).not.toContain(secret);
  });
});

describe("a request that two readers could understand differently", () => {
  const HOST = "Host: localhost\r\n";
  const JSON_BODY = `${HOST}Content-Type: application/json\r\n`;
  const LINK = "/v1/auth/link";

  it.each([
    [
      "a length and chunks",
      `POST ${LINK} HTTP/1.1\r\n${JSON_BODY}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ["two lengths", `POST ${LINK} HTTP/1.1\r\n${JSON_BODY}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, 400],
    ["a length with a sign", `POST ${LINK} HTTP/1.1\r\n${JSON_BODY}Content-Length: +2\r\n\r\n{}`, 400],
    [
      "a blank before the colon",
      `POST ${LINK} HTTP/1.1\r\n${JSON_BODY}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      "chunks that are not the last coding",
      `POST ${LINK} HTTP/1.1\r\n${JSON_BODY}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      "chunks without a size",
      `POST ${LINK} HTTP/1.1\r\n${JSON_BODY}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
    ["bare line feeds", "GET /healthz HTTP/1.1\nHost: localhost\n\n", 400],
    ["a folded header", `GET /healthz HTTP/1.1\r\n${HOST}X: a\r\n b\r\n\r\n`, 400],
    ["two hosts", `GET /healthz HTTP/1.1\r\n${HOST}Host: evil.test\r\n\r\n`, 421],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["a method in small letters", `get /healthz HTTP/1.1\r\n${HOST}\r\n`, 400],
    [
      "another method in a header",
      `POST /healthz HTTP/1.1\r\n${HOST}X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n`,
      404,
    ],
    ["a method that echoes", `TRACE /healthz HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["an encoded letter", `GET /%68ealthz HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["capital letters", `GET /HEALTHZ HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["a slash too many", `GET //healthz HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["a slash at the end", `GET /healthz/ HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["dot segments", `GET /v1/../healthz HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["encoded dot segments", `GET /v1/%2e%2e/healthz HTTP/1.1\r\n${HOST}\r\n`, 404],
    ["a backslash", `GET \\healthz HTTP/1.1\r\n${HOST}\r\n`, 400],
    ["a parameter in the path", `GET /healthz;a=b HTTP/1.1\r\n${HOST}\r\n`, 404],
    [
      "a body as plain text",
      `POST ${LINK} HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
      400,
    ],
    [
      "an upgrade to something else",
      `GET /healthz HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
      422,
    ],
  ])("is refused, and nothing after it is read: %s (attack F12)", async (_what, text, status) => {
    const gate = createGate({ store: memoryStore() });
    const served = await serve(gate, { port: 0, web: false });
    const { url } = served;
    onTestFinished(() => served.close());
    // Whatever was smuggled in would be answered, too.
    const heard = await raw(
      Number(new URL(url).port),
      `${text}GET /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    );
    const statuses = [...heard.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code]) => Number(code));
    expect(statuses[0]).toBe(status);
    expect(statuses.slice(1).every((code) => code === 200)).toBe(true);
    expect(statuses.length).toBeLessThanOrEqual(2);
  });
});

/** Everything that the server says until it hangs up. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text, "latin1"));
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
    });
    // It may hang up before it has read everything.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(heard));
  });
}
