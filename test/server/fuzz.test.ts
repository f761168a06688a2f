import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { arbitraryOf, hostile, type Schema } from "./arbitrary.js";
import { promisesOf } from "./promises.js";
import { openServerWorld, type ServerWorld } from "./world.js";

const RUNS = process.env["COUNTERSIGN_LONG"] === "1" ? 20_000 : 500;
const SEED = Number(process.env["COUNTERSIGN_SEED"] ?? 20_261_116);
/** Nothing may take longer than this, on however slow a machine: it hangs. */
const HANGS = 20_000;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
}

interface Case {
  readonly operation: Operation;
  readonly parameters: readonly (readonly [string, unknown])[];
  readonly body: unknown;
  readonly as: "owner" | "member" | "agent" | "nobody";
  readonly repeated: boolean;
}

describe("every endpoint, from its own OpenAPI document", () => {
  it("answers whatever it is sent with what it promises: never a 5xx that is not meant, never nothing (attack F10)", async () => {
    const world = await openServerWorld();
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const { operations, parts } = await readDocument(world);
    const cast = await openCast(world);
    const keepsPromise = promisesOf(world.routes);
    const seen = new Set<string>();
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(casesOf(operations, parts, cast.ids), async (given) => {
        const { method, path } = given.operation;
        const address = addressOf(given);
        const response = await inTime(
          world.app.fetch(new Request(`http://localhost:4801${address}`, await cast.request(given))),
        );
        const { status } = response;
        seen.add(`${method} ${path}`);
        if (status < 300) taken++;
        const type = response.headers.get("content-type")?.split(";")[0] ?? null;
        if (type === "text/event-stream") return response.body?.cancel();
        const text = await inTime(response.text());
        const told = `${given.as}: ${method} ${address} ${JSON.stringify(given.body)?.slice(0, 300)} → ${status} ${text.slice(0, 300)}`;
        expect(status < 500 || status === 503, told).toBe(true);
        const read = text === "" ? {} : /[/+]json$/.test(type ?? "") ? JSON.parse(text) : text;
        keepsPromise(method, address, status, type, read);
      }),
      { numRuns: RUNS, seed: SEED, interruptAfterTimeLimit: RUNS * 200, markInterruptAsFailure: true },
    );
    expect(unhandled).toEqual([]);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain("role");
    // It went further than the doors: nearly every endpoint was met, and many requests were good.
    expect(seen.size).toBeGreaterThan(operations.length * 0.9);
    expect(taken).toBeGreaterThan(RUNS / 20);
    expect((await world.gate.verify("local")).ok).toBe(true);
  }, 3_600_000);
});

interface Document {
  readonly paths: Record<string, Record<string, Pick<Operation, "parameters"> & { readonly requestBody?: Body }>>;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Body {
  readonly content: { readonly "application/json": { readonly schema: Schema } };
}

async function readDocument({ visitor }: ServerWorld) {
  const { body } = await visitor({}).get<Document>("/openapi.json");
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { parameters, requestBody }]): Operation => ({
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content["application/json"].schema,
      }),
    ),
  );
  return { operations, parts: body.components.schemas };
}

/** Somebody of each kind, with things that exist: half of the ids that are sent are real ones. */
async function openCast(world: ServerWorld) {
  const member = await world.join("Max", "member");
  const { http, issued } = await world.agent(["email.*", "tasks.*", "notes.*"]);
  const call = (body: string) => ({ tool: "email.send", args: { to: "ann@example.com", body } });
  const asked = await Promise.all(
    ["a", "b", "c"].map((body) => http.post<{ approvalId: string }>("/v1/calls", call(body))),
  );
  let owner = world.browser.headers;
  let sent = 0;
  const signedIn = async () => {
    const token = /=(.+)$/.exec(owner["cookie"] ?? "")?.[1];
    if ((await world.service.identity.sessions.find(token)) !== undefined) return owner;
    const { identity } = world.service;
    const started = await identity.signInLinks.redeem((await identity.signInLinks.create("local")).token);
    owner = { ...owner, cookie: `countersign=${started.token}`, "countersign-workspace": "local" };
    return owner;
  };
  return {
    ids: [...asked.map(({ body }) => body.approvalId), issued.agentId, issued.keyId, member.userId, "local", "finance"],
    async request({ operation, body, as, repeated }: Case): Promise<RequestInit> {
      // Limits would answer nearly everything, and a pause the rest.
      if (++sent % 20 === 0) await world.database.run("DELETE FROM identity_counter");
      const headers = { owner: await signedIn(), member: member.browser.headers, agent: http.headers, nobody: {} }[as];
      const more = repeated ? { "idempotency-key": "again" } : {};
      if (operation.method === "GET") return { headers: { ...headers } };
      const text = typeof body === "string" && body.startsWith("{") ? body : JSON.stringify(body);
      return {
        method: operation.method,
        headers: { ...headers, ...more, "content-type": "application/json" },
        body: text,
      };
    },
  };
}

function casesOf(
  operations: readonly Operation[],
  parts: Record<string, Schema>,
  ids: readonly string[],
): fc.Arbitrary<Case> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      parameters: fc.tuple(
        ...operation.parameters
          .filter(({ in: place }) => place !== "header")
          .map((each) => parameterOf(each, parts, ids).map((value) => [each.name, value] as const)),
      ),
      body: operation.body === undefined ? fc.constant({}) : arbitraryOf(operation.body, parts),
      as: fc.constantFrom("owner" as const, "owner" as const, "member" as const, "agent" as const, "nobody" as const),
      repeated: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    }),
  );
}

function parameterOf(
  parameter: Parameter,
  parts: Record<string, Schema>,
  ids: readonly string[],
): fc.Arbitrary<unknown> {
  // A long wait is meant to be long.
  if (parameter.name === "wait") return fc.constantFrom("0", "-1", "x", undefined);
  const value = arbitraryOf(parameter.schema, parts);
  if (parameter.in === "path") return fc.oneof(fc.constantFrom(...ids), value);
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: value },
    { weight: 1, arbitrary: hostile },
  );
}

function addressOf({ operation: { path, parameters: known }, parameters }: Case): string {
  const query: string[] = [];
  let address = path;
  for (const [name, value] of parameters) {
    if (value === undefined) continue;
    const text = encode(value);
    if (known.find((each) => each.name === name)?.in === "path")
      address = address.replace(`{${name}}`, text === "" ? "-" : text);
    else query.push(`${name}=${text}`);
  }
  return query.length === 0 ? address : `${address}?${query.join("&")}`;
}

/** Half characters cannot stand in an address at all; everything else can. */
function encode(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd")).replaceAll(".", "%2E");
}

async function inTime<T>(value: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It hangs.")), HANGS);
  });
  try {
    return await Promise.race([value, late]);
  } finally {
    clearTimeout(timer);
  }
}
