import type { ClientOptions } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { ANN, approve, cards, until, type World } from "../../../test/adapters/contract.js";
import { atEnd, connect, openGate } from "../../../test/adapters/mcp-client.js";
import { notesServer, serveMcp } from "../../../test/adapters/mcp-world.js";
import { readServers } from "./index.js";

const MAIL = { name: "sendMail", arguments: { to: "bo@example.com", text: "Hello" } };
const CAN_URL: ClientOptions = { capabilities: { elicitation: { url: {} } } };
const CAN_FORM: ClientOptions = { capabilities: { elicitation: { form: {} } } };
const approvalUrl = (approvalId: string) => `https://countersign.example/approvals/${approvalId}`;

async function world() {
  const gate = openGate();
  const happened: World = { ran: [] };
  const server = await serveMcp(() => notesServer(happened));
  atEnd(() => server.close());
  const options = { gate, servers: readServers({ mcpServers: { notes: { url: server.url } } }), approvalUrl };
  return { gate, ran: happened.ran, options };
}

describe("how the gateway asks", () => {
  it.each([
    ["the 2025 protocol", {}],
    ["the 2026 protocol", { versionNegotiation: { mode: "auto" } } as const],
  ])("opens the page where people answer, by URL elicitation, over %s", async (_protocol, negotiation) => {
    const { gate, ran, options } = await world();
    let show = (_params: unknown) => {};
    const shown = new Promise<unknown>((resolve) => {
      show = resolve;
    });
    const { client } = await connect(options, { ...CAN_URL, ...negotiation }, (one) =>
      one.setRequestHandler("elicitation/create", async ({ params }) => {
        show(params);
        return { action: "accept" };
      }),
    );
    const called = client.callTool(MAIL);
    const [card] = await cards(gate, 1);
    expect(await shown).toMatchObject({ mode: "url", url: approvalUrl(card.approvalId) });
    // Opening the page is no answer.
    expect(ran).toEqual([]);
    await approve(gate, card);
    expect(JSON.stringify(await called)).toContain("sent to bo@example.com");
    expect(ran).toHaveLength(1);
  });

  it("a page that the person at the client declines to open withdraws the call", async () => {
    const { gate, ran, options } = await world();
    const { client } = await connect(options, CAN_URL, (one) =>
      one.setRequestHandler("elicitation/create", async () => ({ action: "decline" })),
    );
    expect(JSON.stringify(await client.callTool(MAIL))).toContain("TOOL_CANCELLED");
    expect(await gate.pending(ANN)).toEqual([]);
    expect(ran).toEqual([]);
  });

  it("attack D3: takes no yes from a client that nobody named trusted", async () => {
    const { gate, ran, options } = await world();
    const { client } = await connect({ ...options, holdFor: 1 }, CAN_FORM, (one) =>
      one.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { answer: "approve" } })),
    );
    expect(JSON.stringify(await client.callTool(MAIL))).toContain("TOOL_BLOCKED_PENDING_APPROVAL");
    expect(await gate.pending(ANN)).toHaveLength(1);
    expect(ran).toEqual([]);
  });

  it.each([
    ["R2", "the 2025 protocol", {}, true],
    ["R2", "the 2026 protocol", { versionNegotiation: { mode: "auto" } } as const, true],
    ["R3", "the 2025 protocol", {}, false],
  ] as const)("lets a trusted client answer for %s, over %s: %s", async (riskTier, _protocol, negotiation, runs) => {
    const { gate, ran, options } = await world();
    const person = { ...ANN, assurance: "client" } as const;
    const trusting = {
      ...options,
      holdFor: 1_000,
      declare: { notes: { tools: { readNote: { riskTier, confirm: true } } } },
      trust: {
        clients: ["agent"],
        decide: (decision: Parameters<typeof gate.decide>[0]) => gate.decide(decision, person),
      },
    };
    const { client } = await connect(trusting, { ...CAN_FORM, ...negotiation }, (one) =>
      one.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { answer: "approve" } })),
    );
    const told = JSON.stringify(await client.callTool({ name: "readNote", arguments: { id: "7" } }));
    expect(told).toContain(runs ? "note 7" : "TOOL_BLOCKED_PENDING_APPROVAL");
    expect(ran).toHaveLength(runs ? 1 : 0);
  });

  it("attack A5: shows whoever may say yes the whole card, with nothing in it that could play tricks", async () => {
    const { gate, ran, options } = await world();
    const person = { ...ANN, assurance: "client" } as const;
    const trusting = {
      ...options,
      declare: { notes: { tools: { readNote: { riskTier: "R2", confirm: true } } } },
      trust: {
        clients: ["agent"],
        decide: (decision: Parameters<typeof gate.decide>[0]) => gate.decide(decision, person),
      },
    } as const;
    let shown = "";
    const { client } = await connect(trusting, CAN_FORM, (one) =>
      one.setRequestHandler("elicitation/create", async ({ params }) => {
        shown = params.message;
        return { action: "accept", content: { answer: "approve" } };
      }),
    );
    await client.callTool({ name: "readNote", arguments: { id: "7\u202e\u009b31m\u200b" } });
    expect(shown).toContain("id: 7\\u{202e}\\u{9b}31m\\u{200b}");
    expect(shown).not.toMatch(/[\u202e\u009b\u200b]/);
    expect(shown).toContain("Why it asks");
    expect(ran).toHaveLength(1);
  });

  it("holds the call with progress, so that no client gives up on it", async () => {
    const { gate, options } = await world();
    const { client } = await connect({ ...options, holdFor: 1, progressEvery: 5 });
    const heard: string[] = [];
    let enough = () => {};
    const heardTwice = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const onprogress = ({ message }: { message?: string | undefined }) => {
      if (heard.push(message ?? "") === 2) enough();
    };
    const called = client.callTool(MAIL, { onprogress });
    const [card] = await cards(gate, 1);
    await heardTwice;
    await approve(gate, card);
    expect(JSON.stringify(await called)).toContain("sent to bo@example.com");
    expect(heard[0]).toContain(approvalUrl(card.approvalId));
  });

  it("seed D25: says that a call is blocked, and the same call again runs it without a second question", async () => {
    const { gate, ran, options } = await world();
    const { client } = await connect({ ...options, holdFor: 1 });
    const first = await client.callTool(MAIL);
    expect(first).toMatchObject({
      isError: true,
      structuredContent: { countersign: { code: "TOOL_BLOCKED_PENDING_APPROVAL", retry: true } },
    });
    const [card] = await cards(gate, 1);
    expect(JSON.stringify(first)).toContain(approvalUrl(card.approvalId));
    // Asking again meanwhile is the same question.
    await client.callTool(MAIL);
    await approve(gate, card);
    expect(JSON.stringify(await client.callTool(MAIL))).toContain("sent to bo@example.com");
    expect(ran).toHaveLength(1);
    // And once more is another one.
    await client.callTool(MAIL);
    expect(await gate.pending(ANN)).toHaveLength(1);
  });

  it("invariant I3: a round's state is good for its own call and for one use", async () => {
    const { gate, ran, options } = await world();
    const { client } = await connect(
      { ...options, holdFor: 1 },
      { ...CAN_URL, versionNegotiation: { mode: "auto" } },
      (one) => one.setRequestHandler("elicitation/create", async () => ({ action: "accept" })),
    );
    const raw = (params: object) =>
      client.request(
        { method: "tools/call", params: { ...MAIL, ...params } as typeof MAIL },
        { allowInputRequired: true },
      );
    const first = (await raw({})) as unknown as { requestState: string };
    const answered = { requestState: first.requestState, inputResponses: { countersign: { action: "decline" } } };
    await expect(raw({ ...answered, arguments: { to: "eve@example.com", text: "x" } })).rejects.toThrow("requestState");
    await expect(raw(answered)).rejects.toThrow("requestState");
    const card = (await cards(gate, 1))[0];
    await until(gate, async () => (await gate.approval(card.approvalId, ANN)).state === "pending");
    expect(first.requestState).toMatch(/^countersign\./);
    expect(ran).toEqual([]);
  });
});
