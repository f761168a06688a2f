import { afterEach, describe, expect, it } from "vitest";
import { openQuietDesk } from "../../test/channels/quiet-desk.js";

const after: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of after.splice(0)) await close();
});

async function open() {
  const desk = await openQuietDesk();
  after.push(desk.close);
  return desk;
}

describe("a reply that comes while something fails", () => {
  it.each(["read", "before-commit", "after-commit"] as const)(
    "counts once the store answers again, once (%s: I1, I4, I5)",
    async (fault) => {
      const { store, clock, ask, say, ran, state, passed } = await open();
      const approvalId = await ask("hello");
      store.failNext(fault, 3);
      const heard = say("confirm");
      await clock.advance(60_000);
      await heard;
      expect(await state(approvalId)).toBe("succeeded");
      expect([ran, passed]).toEqual([["hello"], []]);
    },
  );

  it("counts once the book answers again, once (I1, I4, I5)", async () => {
    const { book, clock, ask, say, ran, passed } = await open();
    await ask("hello");
    for (const verb of ["first", "openIn"] as const) book.failNext(verb, 2);
    const heard = say("confirm");
    await clock.advance(60_000);
    await heard;
    expect([ran, passed]).toEqual([["hello"], []]);
  });

  it("counts once although the platform delivers it again meanwhile and afterwards (I1, I4)", async () => {
    const { store, clock, ask, say, ran, passed, said } = await open();
    await ask("hello");
    store.failNext("read", 3);
    const heard = [say("confirm", "e1"), say("confirm", "e1")];
    await clock.advance(60_000);
    await Promise.all([...heard, say("confirm", "e1")]);
    expect([ran, passed]).toEqual([["hello"], []]);
    expect(said.filter((text) => text.includes("by ANN"))).toHaveLength(1);
  });

  it("is read anew by another instance when the first one died with it (I4, I5)", async () => {
    const { book, clock, ask, say, ran } = await open();
    await ask("hello");
    // As the first one left it: taken up, not taken in.
    await book.first("telegram/acme/e1", clock.now(), clock.now() + 60_000);
    await say("confirm", "e1");
    expect(ran).toEqual([]);
    await clock.advance(61_000);
    await say("confirm", "e1");
    expect(ran).toEqual(["hello"]);
  });

  it("approves no later question than the one it answered (I2, I3, I8)", async () => {
    const { store, clock, gate, ask, say, ran, state } = await open();
    const first = await ask("first");
    store.failNext("before-commit", 1_000);
    const heard = say("confirm");
    await clock.advance(20_000);
    store.mend();
    await gate.decide({ approvalId: first, decision: "deny" }, { kind: "person", userId: "bob", workspaceId: "home" });
    const second = await ask("second");
    await clock.advance(60_000);
    await heard;
    expect([await state(first), await state(second), ran]).toEqual(["denied", "pending", []]);
  });

  it("that nobody could take in is said to have decided nothing, and counts for nothing from then on (I8)", async () => {
    const { store, clock, ask, say, said, ran, state, notices } = await open();
    const approvalId = await ask("hello");
    store.failNext("before-commit", 1_000);
    const heard = say("confirm", "e1");
    await clock.advance(280_000);
    await heard;
    expect(said.join("\n")).toContain("nothing was decided");
    expect(notices).toContain("channel.hear_failed");
    store.mend();
    await say("confirm", "e1");
    expect([await state(approvalId), ran]).toEqual(["pending", []]);
  });
});
