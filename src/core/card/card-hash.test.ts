import { describe, expect, it } from "vitest";
import { ANN, CALLER, held } from "../../../test/support/held.js";
import { memoryStore } from "../../stores/memory.js";
import { shortHash } from "../audit.js";

const BOB = { ...ANN, userId: "bob", roles: ["approver"] };

async function resolutions(store: ReturnType<typeof memoryStore>): Promise<readonly Record<string, unknown>[]> {
  const entries = await store.entries("home", 0, 100);
  return entries
    .filter(({ type }) => type === "approval.resolved" || type === "approval.voted")
    .map(({ content }) => JSON.parse(content ?? "{}") as Record<string, unknown>);
}

describe("the card's hash", () => {
  it("is the same each time, another in another language, and not moved by votes", async () => {
    const { card, gate, approvalId } = await held({}, { to: "bob" }, { gate: { audience: () => ({ quorum: 2 }) } });
    const [first, again, chinese] = [await card(), await card(), await card("zh")];
    expect(again.cardHash).toBe(first.cardHash);
    expect(chinese.cardHash).not.toBe(first.cardHash);
    await gate.decide({ approvalId, decision: "approve" }, ANN);
    expect(await card()).toMatchObject({ cardHash: first.cardHash, votes: ["ann"] });
  });

  it("changes with anything else that is shown", async () => {
    const hash = async (...given: Parameters<typeof held>) => (await (await held(...given)).card()).cardHash;
    const hashes = [
      await hash({}, { to: "bob" }),
      await hash({}, { to: "eve" }),
      await hash({ title: "Send" }, { to: "bob" }),
      await hash({}, { to: "bob" }, { call: { summary: "hello" } }),
      await hash({ preview: () => ({ effects: [], targets: ["x"] }) }, { to: "bob" }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("attack H6: is kept with the vote and in the audit entry of the decision that names it", async () => {
    const store = memoryStore();
    const { card, gate, approvalId } = await held(
      {},
      { to: "bob" },
      { gate: { store, audience: () => ({ quorum: 2, persons: ["ann"], roles: ["approver"] }) } },
    );
    const [english, chinese] = [await card("en"), await card("zh")];
    await gate.decide({ approvalId, decision: "approve", cardHash: english.cardHash }, ANN);
    await gate.decide({ approvalId, decision: "approve", cardHash: chinese.cardHash }, BOB);
    expect((await resolutions(store)).map((entry) => [entry["by"], entry["card"]])).toEqual([
      ["ann", shortHash(english.cardHash)],
      ["bob", shortHash(chinese.cardHash)],
    ]);
    const { votes } = await gate.approval(approvalId, ANN);
    expect(votes.map(({ cardHash }) => cardHash)).toEqual([english.cardHash, chinese.cardHash]);
  });

  it("attack H6: refuses a decision that names a card nobody was shown, and leaves the question standing", async () => {
    const { gate, approvalId, card } = await held({});
    const refused = gate.decide({ approvalId, decision: "approve", cardHash: "0".repeat(64) }, ANN);
    await expect(refused).rejects.toMatchObject({ code: "hash_mismatch" });
    await expect(gate.decide({ approvalId, decision: "deny", cardHash: "x" }, ANN)).rejects.toMatchObject({
      code: "invalid_decision",
    });
    expect((await gate.approval(approvalId, ANN)).state).toBe("pending");
    await gate.decide({ approvalId, decision: "deny", cardHash: (await card()).cardHash }, ANN);
    expect((await gate.approval(approvalId, ANN)).state).toBe("denied");
  });

  it("attack H6: of an edit is that of the card that showed the difference", async () => {
    const store = memoryStore();
    const { gate, approvalId, card } = await held({}, { to: "bob" }, { gate: { store } });
    const [{ cardHash: before, toolCallHash }, args] = [await card(), { to: "eve" }];
    const drafted = await gate.draft(approvalId, args, ANN, "zh");
    const decision = { approvalId, decision: "approve", toolCallHash, args } as const;
    await expect(gate.decide({ ...decision, cardHash: before }, ANN)).rejects.toMatchObject({ code: "hash_mismatch" });
    await gate.decide({ ...decision, cardHash: drafted?.cardHash ?? "" }, ANN);
    await gate.resume(approvalId, CALLER, { deadline: 5_000 });
    expect(await card("zh")).toMatchObject({ diff: drafted?.diff, toolCallHash: drafted?.toolCallHash });
    expect(await resolutions(store)).toMatchObject([{ as: "approved", card: shortHash(drafted?.cardHash ?? "") }]);
  });

  it("invariant I11: drafts are for people of the audience", async () => {
    const { gate, approvalId } = await held({}, { to: "bob" });
    await expect(gate.draft(approvalId, { to: "eve" }, { ...ANN, userId: "eve" })).rejects.toMatchObject({
      code: "user_mismatch",
    });
  });
});
