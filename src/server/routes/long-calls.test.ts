import { expect, it } from "vitest";
import { openServerWorld, type ServerWorld } from "../../../test/server/world.js";
import type { ApprovalView } from "../../client/wire.js";
import { defineTool, memoryStore, type Store } from "../../index.js";

interface Page {
  readonly approvals: readonly ApprovalView[];
  readonly next?: string;
}

/** Everything that waits, with the size of every page on the way. */
async function listAll({ browser }: ServerWorld, limit = 100) {
  const found: ApprovalView[] = [];
  const sizes: number[] = [];
  for (let after = ""; ; ) {
    const { body } = await browser.get<Page>(`/v1/approvals?limit=${limit}${after === "" ? "" : `&after=${after}`}`);
    found.push(...body.approvals);
    sizes.push(JSON.stringify(body).length);
    if (body.next === undefined) return { found, sizes };
    after = body.next;
  }
}

async function ask({ agent }: ServerWorld, bodies: readonly string[]): Promise<string[]> {
  const { http } = await agent();
  const asked = [];
  for (const body of bodies) {
    const call = { tool: "email.send", args: { to: "ann@example.com", body } };
    asked.push((await http.post<{ approvalId: string }>("/v1/calls", call)).body.approvalId);
  }
  return asked;
}

it("attack F11: lists every question in pages of a bounded size, however long what agents send is (I9)", async () => {
  const world = await openServerWorld();
  const long = Array.from({ length: 8 }, (_, n) => `${n}${"x".repeat(900_000)}`);
  const middling = Array.from({ length: 30 }, (_, n) => `${n}${"é\u0301".repeat(10_000)}`);
  const asked = await ask(world, [...long, "short", ...middling]);
  const { found, sizes } = await listAll(world);
  expect(found.map(({ approvalId }) => approvalId)).toEqual(asked);
  expect(Math.max(...sizes)).toBeLessThan(4_000_000);
  expect(sizes.length).toBeGreaterThan(1);
  expect(found.filter(({ card }) => card === undefined).map(({ approvalId }) => approvalId)).toEqual(asked.slice(0, 8));
});

it("attack F11: gives a long question's card to whoever reads it alone, and takes the answer to it (I3)", async () => {
  const world = await openServerWorld();
  const [approvalId = ""] = await ask(world, ["y".repeat(900_000)]);
  const path = `/v1/approvals/${approvalId}`;
  const { body: listed } = await world.browser.get<ApprovalView>(`${path}?listed=true`);
  expect(listed).toMatchObject({ approvalId, state: "pending" });
  expect(listed.card).toBeUndefined();
  const { body: whole } = await world.browser.get<ApprovalView>(path);
  expect(whole.card?.toolCallCanonical).toContain("y".repeat(900_000));
  const { toolCallHash, cardHash } = whole.card ?? {};
  const decided = await world.browser.post(`${path}/decision`, { decision: "approve", toolCallHash, cardHash });
  expect(decided.body).toMatchObject({ resolution: { type: "approved" } });
});

it("lists what comes behind a question whose call was changed in the store (I9)", async () => {
  const store = memoryStore();
  let changed = "";
  const get: Store["get"] = async (kind, id) => {
    const record = await store.get(kind, id);
    return kind === "call" && id === changed && record !== undefined ? { ...record, value: "{}\n[[],[]]" } : record;
  };
  const world = await openServerWorld({
    store: new Proxy(store, { get: (at, name) => (name === "get" ? get : bound(at, name)) }),
  });
  // Longer than what a process keeps at hand of its own calls, so that it reads them again.
  const asked = await ask(
    world,
    Array.from({ length: 60 }, (_, n) => `${n}${"x".repeat(5_000)}`),
  );
  changed = asked[1] ?? "";
  const { found } = await listAll(world);
  expect(found.map(({ approvalId }) => approvalId)).toEqual(asked.filter((approvalId) => approvalId !== changed));
});

it("gives an approval whose card cannot be drawn without it, so that whoever reads each one reads on (I9)", async () => {
  const note = { en: "It cannot be called back.", zh: "无法撤回。" };
  const tool = defineTool({ name: "email.send", confirm: true, rollback: { note }, execute: () => "sent" });
  const world = await openServerWorld({ tools: [tool] });
  const [approvalId = ""] = await ask(world, ["hello"]);
  Object.defineProperty(note, "en", {
    get() {
      throw new Error("no note any more");
    },
  });
  for (const path of [`/v1/approvals/${approvalId}`, `/v1/approvals/${approvalId}?listed=true`]) {
    const { status, body } = await world.browser.get<ApprovalView>(path);
    expect([status, body.state, body.card]).toEqual([200, "pending", undefined]);
  }
  expect((await listAll(world)).found).toMatchObject([{ approvalId }]);
});

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}
