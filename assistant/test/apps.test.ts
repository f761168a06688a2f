import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "countersign/stores/sqlite";
import { describe, expect, it } from "vitest";
import { readMail } from "../src/mail/read-mail.js";
import { approved, CALLER, held, newWorld, ran, type World } from "./world.js";

describe("which skills ask by default (seed C6, C18, C40)", () => {
  const mail = { to: ["ben@example.org"], subject: "Hi", body: "Hello" };
  const event = { summary: "Dentist", start: "2026-03-01T09:00:00Z", end: "2026-03-01T10:00:00Z" };

  it.each([
    ["email.send", mail],
    ["calendar.create", event],
    ["files.update", { path: "a.txt", content: "new" }],
    ["files.delete", { path: "a.txt" }],
  ])("%s asks", async (tool, args) => {
    const world = withFile();
    expect((await held(world.gate, tool, args)).type).toBe("pending");
  });

  it.each([
    ["email.read", {}, { mails: [] }],
    ["calendar.list", { from: "2026-03-01", to: "2026-03-02" }, { events: [] }],
    ["files.list", {}, { files: ["a.txt"] }],
    ["files.read", { path: "a.txt" }, { content: "old" }],
    ["tasks.list", {}, { tasks: [] }],
  ])("%s does not", async (tool, args, result) => {
    const world = withFile();
    expect(await ran(world.gate, tool, args)).toEqual(result);
  });

  it.each(["web.search", "web.transcript", "web.fetch"])("%s does not", (tool) => {
    const { gate } = newWorld();
    expect(gate.registry.find(tool)).toMatchObject({ effect: "read", confirm: false, destructive: false });
  });
});

describe("the calendar", () => {
  const standup = {
    summary: "Standup; with, commas",
    start: "2026-03-02T09:00:00Z",
    end: "2026-03-02T09:15:00Z",
    recurrence: "FREQ=WEEKLY;COUNT=3",
    attendees: ["ben@example.org"],
  };

  it("keeps events as iCalendar and lists every time of a repeated one", async () => {
    const { gate } = newWorld();
    const outcome = await held(gate, "calendar.create", standup);
    expect(String(outcome.card.humanSummary)).toContain("ben@example.org");
    await approved(gate, outcome);
    const { events } = await ran<{ events: { start: string; summary: string }[] }>(gate, "calendar.list", {
      from: "2026-03-01",
      to: "2026-04-01",
    });
    expect(events.map(({ start }) => start)).toEqual([
      "2026-03-02T09:00:00.000Z",
      "2026-03-09T09:00:00.000Z",
      "2026-03-16T09:00:00.000Z",
    ]);
    const { ics } = await ran<{ ics: string }>(gate, "calendar.export", {});
    expect(ics).toContain("BEGIN:VCALENDAR");
    expect(ics).toContain("RRULE:FREQ=WEEKLY;COUNT=3");
    expect(ics).toContain("SUMMARY:Standup\\; with\\, commas");
  });

  it("says before it asks that the time is taken", async () => {
    const { gate } = newWorld();
    await approved(gate, await held(gate, "calendar.create", standup));
    const { card } = await held(gate, "calendar.create", { ...standup, summary: "Other" });
    expect(card.warnings.map(({ text }) => String(text))).toEqual(["It overlaps with 1 other event(s)."]);
  });

  it("refuses an event that ends before it starts, before anybody is asked (flaw F-A6)", async () => {
    const { gate } = newWorld();
    const call = { tool: "calendar.create", args: { ...standup, end: "2026-03-01T00:00:00Z" } };
    await expect(gate.submit(call, CALLER)).rejects.toMatchObject({ code: "invalid_args" });
  });
});

describe("e-mail", () => {
  it("stays on this machine as an .eml file unless a server is set up", async () => {
    const { gate, folder } = newWorld();
    const args = { to: ["ben@example.org"], subject: "Grüße 你好", body: "Line one\nLine two" };
    await approved(gate, await held(gate, "email.send", args));
    const [name = ""] = readdirSync(join(folder, "mail", "outbox"));
    const mail = readMail(readFileSync(join(folder, "mail", "outbox", name)));
    expect(mail).toMatchObject({ to: "ben@example.org", subject: "Grüße 你好", text: "Line one\nLine two" });
  });

  it("reads what lies in the inbox folder", async () => {
    const { gate, folder } = newWorld();
    mkdirSync(join(folder, "mail", "inbox"), { recursive: true });
    writeFileSync(
      join(folder, "mail", "inbox", "1.eml"),
      'From: ben@example.org\r\nSubject: =?utf-8?Q?Caf=C3=A9?=\r\nContent-Type: multipart/alternative; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=\r\n--x--\r\n',
    );
    expect(await ran(gate, "email.read", {})).toMatchObject({ mails: [{ subject: "Café", text: "Hello" }] });
  });

  it("shows a look-alike letter in an address", async () => {
    const { gate } = newWorld();
    const { card } = await held(gate, "email.send", { to: ["ann@ex\u0430mple.com"], subject: "Hi", body: "" });
    expect(JSON.stringify(card.arguments)).toMatch(/notices":\[\{/);
  });

  it("keeps header injection out", async () => {
    const { gate } = newWorld();
    const call = { tool: "email.send", args: { to: ["a@b.c"], subject: "Hi\r\nBcc: eve@evil.example", body: "" } };
    await expect(gate.submit(call, CALLER)).rejects.toMatchObject({ code: "invalid_args" });
  });
});

describe("files", () => {
  it("shows what changes, keeps the old version, and restores what was deleted", async () => {
    const world = withFile();
    await approved(world.gate, await held(world.gate, "files.update", { path: "a.txt", content: "new" }));
    expect(await ran(world.gate, "files.read", { path: "a.txt" })).toEqual({ content: "new" });
    const deleted = await approved(world.gate, await held(world.gate, "files.delete", { path: "a.txt" }));
    expect(await ran(world.gate, "files.list", {})).toEqual({ files: [] });
    const { trashId } = (deleted as { result: { trashId: string } }).result;
    await ran(world.gate, "files.restore", { trashId });
    expect(await ran(world.gate, "files.read", { path: "a.txt" })).toEqual({ content: "new" });
  });

  it.each(["../escape.txt", "/etc/passwd", "link/secret", ".trash/x", "."])(
    "does not leave its folder for %s",
    async (path) => {
      const world = withFile();
      symlinkSync("/etc", join(world.folder, "files", "home", "link"));
      const outcome = await world.gate.submit({ tool: "files.read", args: { path } }, CALLER);
      expect(outcome).toMatchObject({ type: "failed", error: expect.stringContaining("is not a file in the folder") });
    },
  );
});

describe("every app", () => {
  it("declares of each write its tier or default, what it would do, and how it is undone unless it cannot be", () => {
    const writes = newWorld().apps.tools.filter(({ effect }) => effect === "write");
    expect(writes.length).toBeGreaterThan(20);
    const without = (has: (tool: (typeof writes)[number]) => boolean) =>
      writes.filter((tool) => !has(tool)).map(({ name }) => name);
    expect({
      tier: without(({ riskTier, destructive }) => riskTier !== undefined || destructive),
      preview: without(({ preview }) => preview !== undefined),
      rollback: without(({ rollback, destructive }) => rollback !== undefined || destructive),
    }).toEqual({ tier: [], preview: [], rollback: [] });
  });

  it("tells what a rename would change, and changes it back by the command that its result names", async () => {
    const { gate } = newWorld();
    type Made = { data: { list: { id: string } }; undoCommand: string; undoArgs: object };
    const made = await ran<Made>(gate, "list-create", { name: "Groceries" });
    const { id } = made.data.list;
    const asked = await gate.submit(
      { tool: "list-update", args: { id, name: "Shopping" }, confidence: 0.99, stricter: { confirm: true } },
      CALLER,
    );
    if (asked.type !== "pending") throw new Error(asked.type);
    expect(JSON.stringify(asked.card.effects)).toContain("Groceries");
    const outcome = await approved(gate, asked);
    const { undoCommand, undoArgs } = (outcome as { result: Made }).result;
    await ran(gate, undoCommand, undoArgs);
    expect(JSON.stringify(await ran(gate, "list-list", {}))).toContain("Groceries");
  });
});

describe("the database tool (seed E1, flaw F-E9)", () => {
  const DELETE = "DELETE FROM orders WHERE status = 1";

  it("asks with the exact rows in view, then deletes them and audits before and after", async () => {
    const world = withOrders();
    const outcome = await held(world.gate, "data.modify", { sql: DELETE });
    expect(outcome.card.riskTier).toBe("R4");
    expect(outcome.card.effects.map(({ text }) => String(text))).toEqual(["deletes 2 rows"]);
    expect(count(world)).toBe(3);
    expect(await approved(world.gate, outcome)).toMatchObject({ type: "succeeded", result: { rows: 2 } });
    expect(count(world)).toBe(1);
    const [audit] = world.household.all<{ rows: number; sample: string; status: string }>("SELECT * FROM data_audit");
    expect(audit).toMatchObject({ rows: 2, status: "success", operation: "delete" });
    expect(audit?.sample).toContain("before");
  });

  it("asks anew when other rows would go than were shown", async () => {
    const world = withOrders();
    const { approvalId, card } = await held(world.gate, "data.modify", { sql: DELETE });
    const other = openDatabase(join(world.folder, "data.db"));
    other.exec("INSERT INTO orders VALUES (4, 1)");
    other.close();
    await world.gate.decide(
      { approvalId, decision: "approve", toolCallHash: card.toolCallHash },
      { kind: "person", userId: "ann", workspaceId: "home" },
    );
    expect(count(world)).toBe(4);
  });

  it.each([
    "DELETE FROM orders",
    "DELETE FROM orders -- WHERE status = 1",
    "DELETE FROM orders WHERE 1=1",
    "UPDATE orders SET status = 2",
    "DROP TABLE orders",
    "INSERT INTO orders VALUES (9, 9)",
    "ALTER TABLE orders DROP COLUMN status",
    "/* hi */ DELETE FROM orders",
  ])("asks about %s", async (sql) => {
    const world = withOrders();
    expect((await held(world.gate, "data.modify", { sql })).type).toBe("pending");
    expect(count(world)).toBe(3);
  });

  it.each([
    "SELECT 1; DELETE FROM orders",
    "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone",
    "DELETE FROM orders",
  ])("does not run %s through the tool that reads", async (sql) => {
    const world = withOrders();
    const outcome = await world.gate.submit({ tool: "data.query", args: { sql }, confidence: 1 }, CALLER);
    expect(outcome.type).not.toBe("succeeded");
    expect(count(world)).toBe(3);
  });

  it("queries without asking", async () => {
    const world = withOrders();
    expect(await ran(world.gate, "data.query", { sql: "SELECT id FROM orders WHERE status = 1 ORDER BY id" })).toEqual({
      rows: [{ id: 1 }, { id: 2 }],
      cut: false,
    });
  });

  it("does not change more rows than the policy allows, nor other tables, even when approved", async () => {
    const world = withOrders({ maxAffectedRows: 1, allowedTables: ["orders"] });
    const outcome = await approved(world.gate, await held(world.gate, "data.modify", { sql: DELETE }));
    expect(outcome).toMatchObject({ type: "failed", error: expect.stringContaining("at most 1") });
    expect(count(world)).toBe(3);
  });
});

function withFile(): World {
  const world = newWorld();
  mkdirSync(join(world.folder, "files", "home"), { recursive: true });
  writeFileSync(join(world.folder, "files", "home", "a.txt"), "old");
  return world;
}

function withOrders(data: object = {}): World {
  const world = newWorld({ data });
  const database = openDatabase(join(world.folder, "data.db"));
  database.exec("CREATE TABLE orders (id INTEGER, status INTEGER); INSERT INTO orders VALUES (1, 1), (2, 1), (3, 0)");
  database.close();
  return world;
}

function count(world: World): number {
  const database = openDatabase(join(world.folder, "data.db"));
  const { rows } = database.prepare("SELECT count(*) AS rows FROM orders").get() as { rows: number };
  database.close();
  return rows;
}
