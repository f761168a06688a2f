import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, describe, expect, it } from "vitest";
import { guardedFetch } from "../src/web/guarded-fetch.js";
import { approved, CALLER, held, newWorld, ran } from "./world.js";

const servers: { close(done: () => void): unknown }[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((done) => server.close(done));
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("mail through an SMTP server", () => {
  it("arrives once a person has said yes, and not before", async () => {
    const received: string[] = [];
    const smtp = new SMTPServer({
      disabledCommands: ["AUTH", "STARTTLS"],
      onData: (stream, _session, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          received.push(Buffer.concat(chunks).toString("utf8"));
          done();
        });
      },
    });
    servers.push(smtp);
    await new Promise<void>((done) => smtp.listen(0, "127.0.0.1", () => done()));
    const { port } = smtp.server.address() as AddressInfo;
    const { gate } = newWorld({ mail: { smtpUrl: `smtp://127.0.0.1:${port}` } });
    const outcome = await held(gate, "email.send", { to: ["ben@example.org"], subject: "Rent", body: "Paid." });
    expect(received).toEqual([]);
    expect(await approved(gate, outcome)).toMatchObject({
      type: "succeeded",
      result: { accepted: ["ben@example.org"] },
    });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatch(/Subject: Rent[\s\S]*Paid\./);
  });
});

describe("the web", () => {
  it("searches, reads pages and transcripts by providers that were set up", async () => {
    const host = await listen(
      createServer((request, response) => {
        if (request.url?.startsWith("/search")) {
          response.end(JSON.stringify({ results: [{ title: "Milk", url: "https://example.org", content: "White." }] }));
        } else if (request.url === "/page") {
          response.setHeader("content-type", "text/html");
          response.end("<h1>Hello</h1><script>alert(1)</script><p>A &amp; B</p>");
        } else {
          response.end(
            "WEBVTT\n\n1\n00:00.000 --> 00:01.000\nGood <b>morning</b>\n\n00:01.000 --> 00:02.000\nGood morning\n",
          );
        }
      }),
    );
    const { gate } = newWorld({ web: { searchUrl: `http://${host}/search?q={query}`, trustedHosts: [host] } });
    expect(await ran(gate, "web.search", { query: "milk & honey" })).toMatchObject({ results: [{ title: "Milk" }] });
    // Loopback is no public address: a person is asked first, and the owner's trust lets the yes through.
    const read = async (tool: string, url: string) => approved(gate, await held(gate, tool, { url }));
    expect(await read("web.fetch", `http://${host}/page`)).toMatchObject({ result: { text: "Hello\nA & B" } });
    expect(await read("web.transcript", `http://${host}/talk.vtt`)).toMatchObject({ result: { text: "Good morning" } });
  });

  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2130706433/",
    "http://10.0.0.1/",
    "http://[::ffff:127.0.0.1]/",
    "file:///etc/passwd",
    "http://user:secret@example.org/",
  ])("does not reach %s (SSRF)", async (url) => {
    await expect(guardedFetch(url)).rejects.toThrow(/^Not fetched/);
  });

  it("does not follow a redirect into the local network", async () => {
    const host = await listen(
      createServer((_request, response) => {
        response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
      }),
    );
    await expect(guardedFetch(`http://${host}/`, { trustedHosts: [host] })).rejects.toThrow(/^Not fetched/);
  });

  it("asks before it would fetch an address that is not public, and then still does not", async () => {
    const { gate } = newWorld();
    const outcome = await gate.submit({ tool: "web.fetch", args: { url: "http://127.0.0.1/" } }, CALLER);
    expect(outcome.type).toBe("pending");
  });
});
