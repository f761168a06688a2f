import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GateLike } from "../../src/adapters/gate-like.js";
import type { Card } from "../../src/core/card/card.js";
import type { Gate } from "../../src/core/gate.js";
import type { Clock, Store } from "../../src/core/ports.js";
import { memoryStore } from "../../src/stores/memory.js";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { fakeClock } from "../../src/testing/clock.js";
import { ANN } from "./people.js";
import { PLACES, type Places } from "./places.js";

export { ANN, CALLER } from "./people.js";

/** What a model asks for: `readNote` is declared a read, `sendMail` leaves the system and asks. */
export interface Call {
  readonly id: string;
  readonly tool: "readNote" | "sendMail";
  readonly args: Readonly<Record<string, string>>;
}

/** What has really happened, whatever anybody was told. */
export interface World {
  readonly ran: { readonly tool: string; readonly args: unknown }[];
}

/** An agent of the framework under test, as one process has it. */
export interface App {
  /** The model makes these calls in one turn; what it was told of each, as text. */
  turn(calls: readonly Call[], signal?: AbortSignal): Promise<readonly string[]>;
  /** The same through an agent that another agent calls. */
  subagentTurn(call: Call): Promise<string>;
  /** The call with every mark of approval that a client could put into the framework's own state. */
  forgedTurn(call: Call): Promise<string>;
  close?(): Promise<void>;
}

export interface AdapterUnderTest {
  readonly name: string;
  /** The agent's own process runs the tool on our word, so that its promise of running once is that the word is given once. */
  readonly duplicates?: "told-once";
  readonly open: (gate: GateLike, world: World) => App | Promise<App>;
}

const MAIL: Call = { id: "call-1", tool: "sendMail", args: { to: "bo@example.com", text: "Hello" } };
const sent = (to: string) => `sent to ${to}`;

/** One suite for every adapter: what people are promised depends neither on the framework nor on where the gate is. */
export function describeAdapter(adapter: AdapterUnderTest): void {
  for (const [where, places] of Object.entries(PLACES)) describeAt(adapter, where, places);
}

function describeAt({ name, open, duplicates }: AdapterUnderTest, where: string, opened: (folder: string) => Places) {
  const closing: (() => unknown)[] = [];
  let places: Places;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-adapter-"));
    places = opened(folder);
    closing.push(
      () => rmSync(folder, { recursive: true, force: true }),
      () => places.close(),
    );
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function start(store: Store = memoryStore(), clock?: Clock, world: World = { ran: [] }) {
    const place = await places.open(store, clock);
    const app = await open(place.gate, world);
    if (app.close) closing.push(() => app.close?.());
    return { place, gate: place.desk, world, app };
  }

  describe(`adapter contract: ${name}, with a gate ${where}`, { timeout: 20_000 }, () => {
    it("lets a declared read run at once, and hands over what it gave", async () => {
      const { gate, world, app } = await start();
      const [told] = await app.turn([{ id: "call-1", tool: "readNote", args: { id: "7" } }]);
      expect(told).toContain("note 7");
      expect(world.ran).toHaveLength(1);
      expect(await gate.pending(ANN)).toEqual([]);
    });

    it("holds a call until a person approves it, and runs it once", async () => {
      const { gate, world, app } = await start();
      const turn = app.turn([MAIL]);
      const [card] = await cards(gate, 1);
      expect(world.ran).toEqual([]);
      await approve(gate, card);
      expect((await turn)[0]).toContain(sent("bo@example.com"));
      expect(world.ran).toEqual([{ tool: "sendMail", args: MAIL.args }]);
    });

    it("seed D26: tells a denial with its reason, and refuses the retry without a second question", async () => {
      const { gate, world, app } = await start();
      const turn = app.turn([MAIL]);
      const [card] = await cards(gate, 1);
      await gate.decide({ ...named(card), decision: "deny", reason: "not today" }, ANN);
      const [told] = await turn;
      expect(told).toContain("TOOL_DENIED");
      expect(told).toContain("not today");
      const [again] = await app.turn([{ ...MAIL, id: "call-2" }]);
      expect(again).toContain("TOOL_DENIED");
      expect(await gate.pending(ANN)).toEqual([]);
      expect(world.ran).toEqual([]);
    });

    it("runs what a person changed, and tells the model what was changed", async () => {
      const { gate, world, app } = await start();
      const turn = app.turn([MAIL]);
      const [card] = await cards(gate, 1);
      await gate.decide({ ...named(card), decision: "approve", args: { ...MAIL.args, to: "cy@example.com" } }, ANN);
      const [told] = await turn;
      expect(world.ran).toEqual([{ tool: "sendMail", args: { ...MAIL.args, to: "cy@example.com" } }]);
      expect(told).toContain(sent("cy@example.com"));
      expect(told).toContain("A person changed them");
    });

    it("invariant I8: tells a question that nobody answered as expired, and runs nothing", async () => {
      const clock = fakeClock(Date.now());
      const { gate, world, app } = await start(memoryStore({ clock }), clock);
      const turn = app.turn([MAIL]);
      await cards(gate, 1);
      await clock.advance(6 * 60_000);
      expect((await turn)[0]).toContain("TOOL_APPROVAL_EXPIRED");
      expect(world.ran).toEqual([]);
    });

    it("withdraws the question when the run is aborted", async () => {
      const { gate, world, app } = await start();
      const abort = new AbortController();
      const turn = app.turn([MAIL], abort.signal).catch(() => []);
      const [card] = await cards(gate, 1);
      abort.abort();
      await turn;
      await until(gate, async () => (await gate.approval(card.approvalId, ANN)).state === "cancelled");
      expect(world.ran).toEqual([]);
    });

    it("keeps two parallel calls apart when they are answered in reverse order", async () => {
      const { gate, world, app } = await start();
      const second = { ...MAIL, id: "call-2", args: { to: "di@example.com", text: "Hi" } };
      const turn = app.turn([MAIL, second]);
      const held = await cards(gate, 2);
      const about = (to: string) => held.find((card) => card.toolCallCanonical.includes(to));
      await gate.decide({ ...named(about("di@")), decision: "deny", reason: "not to her" }, ANN);
      await approve(gate, about("bo@"));
      const [first, other] = await turn;
      expect(first).toContain(sent("bo@example.com"));
      expect(other).toContain("not to her");
      expect(world.ran).toEqual([{ tool: "sendMail", args: MAIL.args }]);
    });

    it("invariant I5: goes on after a restart between the question and its answer", async () => {
      const stored = () => sqliteStore(join(folder, "gate.db"));
      const before = await start(stored());
      void before.app.turn([MAIL]).catch(() => []);
      const [asked] = await cards(before.gate, 1);
      await before.app.close?.();
      await before.place.die();
      await before.place.stop();
      const { gate, app, world } = await start(stored(), undefined, before.world);
      await approve(gate, asked);
      expect((await app.turn([MAIL]))[0]).toContain(sent("bo@example.com"));
      expect(await gate.pending(ANN)).toEqual([]);
      expect(world.ran).toHaveLength(1);
    });

    it("invariant I1: gives a duplicate of the same call the first outcome", async () => {
      const { gate, world, app } = await start();
      const turns = [app.turn([MAIL]), app.turn([MAIL])];
      const [card] = await cards(gate, 1);
      await approve(gate, card);
      const told = (await Promise.all(turns)).filter(([one]) => one?.includes(sent("bo@example.com")));
      expect(told).toHaveLength(duplicates === "told-once" ? 1 : 2);
      expect(world.ran).toHaveLength(1);
    });

    it("attack B7: an approval forged in the framework's own state runs nothing", async () => {
      const { world, app } = await start();
      const told = await app.forgedTurn(MAIL);
      expect(world.ran).toEqual([]);
      expect(told).not.toContain(sent("bo@example.com"));
    });

    it("attack B13: holds the call of a subagent too", async () => {
      const { gate, world, app } = await start();
      const turn = app.subagentTurn(MAIL);
      const [card] = await cards(gate, 1);
      expect(world.ran).toEqual([]);
      await approve(gate, card);
      expect(await turn).toContain(sent("bo@example.com"));
      expect(world.ran).toHaveLength(1);
    });

    it("invariant I8: refuses every call when the gate is down", async () => {
      const { place, world, app } = await start();
      await place.stop();
      const [told] = await app.turn([MAIL]);
      expect(told).toContain("Not run");
      expect(world.ran).toEqual([]);
    });
  });
}

export function named(card: Card | undefined): { readonly approvalId: string; readonly toolCallHash: string } {
  if (card === undefined) throw new Error("no such card");
  return { approvalId: card.approvalId, toolCallHash: card.toolCallHash };
}

export async function approve(gate: Gate, card: Card | undefined): Promise<void> {
  await gate.decide({ ...named(card), decision: "approve" }, ANN);
}

/** Waits until this many questions stand before Ann. */
export async function cards(gate: Gate, count: number): Promise<[Card, ...Card[]]> {
  let held: Card[] = [];
  await until(gate, async () => {
    held = await gate.pending(ANN);
    return held.length >= count;
  });
  expect(held).toHaveLength(count);
  return held as [Card, ...Card[]];
}

/** Looks whenever something has changed in the store. */
export async function until(gate: Gate, met: () => Promise<boolean>): Promise<void> {
  let wake = () => {};
  const stop = gate.store.watch(() => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (await met()) return;
      await changed;
    }
  } finally {
    stop();
  }
}
