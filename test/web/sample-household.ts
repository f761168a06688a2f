import { expect, vi } from "vitest";
import type { ApprovalState } from "../../src/index.js";
import { api, askForToken, joined, newAgent } from "./people.js";
import { fillInbox } from "./sample-inbox.js";
import type { Visitor, WebWorld } from "./world.js";

const PERSON = { kind: "person", userId: "ann", workspaceId: "home" } as const;

/** Longer than a screen, in a language without blanks. */
const LETTER = `${"尊敬的各位业主：本小区将于下周六进行停水检修，请提前做好储水准备，检修期间请勿使用电梯。".repeat(12)}\n物业管理处`;

/** A workspace that has been lived in: people, keys with their use, devices, permissions, and one call in every state. */
export async function fillHousehold(world: WebWorld, owner: Visitor) {
  const { ask, gate } = world;
  const approve = async ({ approvalId, card }: Awaited<ReturnType<typeof ask>>, more: object = {}) => {
    const answer = { toolCallHash: card.toolCallHash, decision: "approve", ...more };
    const { status, body } = await api(owner.page, "POST", `/v1/approvals/${approvalId}/decision`, answer);
    expect(status, JSON.stringify(body)).toBe(200);
  };
  const becomes = ({ approvalId }: { readonly approvalId: string }, state: ApprovalState) =>
    vi.waitFor(async () => expect((await gate.approval(approvalId, PERSON)).state).toBe(state), { timeout: 10_000 });

  const questions = await fillInbox(world);
  await joined(world, owner, { name: "Bob Miller", role: "approver" });
  const quorum = await ask("bank.pay", { amount: 4_800, payee: "Roof & Sons", pin: "2468" });
  await approve(quorum);
  const chinese = await ask("email.send", { to: ["ye.zhu@example.com"], subject: "关于停水检修的通知", body: LETTER });
  const signed = await ask("email.send", {
    to: ["notary@example.com"],
    subject: "Contract",
    body: "Signed and attached.",
  });
  const done = await ask("calendar.create", { title: "Dentist", start: "2026-11-24T09:30", guests: [] });
  await approve(done, { scope: { kind: "uses", uses: 5, pins: [{ path: "title", op: "equals", value: "Dentist" }] } });
  const unknown = await ask("backup.run", { disk: "/mnt/backup" });
  await approve(unknown);
  const late = await ask(
    "calendar.create",
    { title: "Too late", start: "now", guests: [] },
    { stricter: { ttl: 1_000 } },
  );
  const withheld = await gate.submit({ tool: "report.read", args: { month: "October" } }, gate.caller);
  await gate.submit({ tool: "tasks.list", args: {} }, gate.caller);
  await becomes(done, "succeeded");
  await becomes(unknown, "unknown");
  await becomes(late, "expired");
  await useKeys(world, owner);
  return {
    ...questions,
    quorum: quorum.approvalId,
    chinese: chinese.approvalId,
    signed: signed.approvalId,
    done: done.approvalId,
    unknown: unknown.approvalId,
    expired: late.approvalId,
    withheld: withheld.approvalId ?? "",
  };
}

/** One key that was used, and one whose device waits for its owner's yes. */
async function useKeys({ url }: WebWorld, owner: Visitor): Promise<void> {
  const make = async (name: string, devices: "approved" | "none") =>
    (await newAgent(owner.page, { name, scopes: ["tasks.*", "calendar.*"], devices })).apiKey;
  const mailSorter = await make("Mail sorter", "none");
  const event = { title: "Standup", start: "Monday", guests: [] };
  const calls = [
    ...["Eggs", "Flour", "Milk", "Butter", "Salt", "Yeast"].map((title) => ({ tool: "tasks.add", args: { title } })),
    { tool: "tasks.list", args: {} },
    { tool: "calendar.create", args: event },
    { tool: "calendar.delete", args: { title: "Standup" } },
  ];
  for (const call of calls) {
    const answered = await fetch(`${url}/v1/calls`, {
      method: "POST",
      headers: { authorization: `Bearer ${mailSorter}`, "content-type": "application/json" },
      body: JSON.stringify(call),
    });
    expect(answered.status, await answered.clone().text()).toBeLessThan(300);
  }
  const laptop = await make("Night shift", "approved");
  const asked = await askForToken(url, laptop, "Ann’s laptop");
  expect(asked.status, await asked.clone().text()).toBeLessThan(300);
}
