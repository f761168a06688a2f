import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Person } from "countersign";
import type { Route } from "../src/index.js";

/** The smallest server that can mount the routes: a bearer name stands for signing in. */
export async function serve(
  routes: readonly Route[],
  people: Readonly<Record<string, Person>>,
): Promise<{ url: string; server: Server }> {
  const server = createServer(async (incoming, outgoing) => {
    const person = people[(incoming.headers.authorization ?? "").replace("Bearer ", "")];
    const url = new URL(incoming.url ?? "/", "http://localhost");
    const route = routes.find(({ method, path }) => method === incoming.method && path === url.pathname);
    if (person === undefined || route === undefined) {
      outgoing.writeHead(person === undefined ? 401 : 404).end();
      return;
    }
    const response = await route.handle(await requestOf(incoming, url), { person });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function requestOf(incoming: IncomingMessage, url: URL): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const method = incoming.method ?? "GET";
  return new Request(url, {
    method,
    ...(method === "GET" || method === "DELETE" ? {} : { body: Buffer.concat(chunks) }),
  });
}
