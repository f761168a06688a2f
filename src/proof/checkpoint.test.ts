import { describe, expect, it } from "vitest";
import { newKey, WORKSPACE, write } from "../../test/proof-fixture.js";
import { memoryStore } from "../stores/memory.js";
import { openCheckpoint, signCheckpoint } from "./checkpoint.js";

const TIME = Date.UTC(2026, 1, 3, 4, 5, 6, 7);

async function signed(workspaceId = WORKSPACE, key = newKey()) {
  const store = memoryStore();
  await write(store, 3, workspaceId);
  const head = await store.checkpoint(workspaceId);
  return { head, key, note: signCheckpoint(head, TIME, key) };
}

describe("a checkpoint", () => {
  it("is a signed note that says how many entries there were, how they ended and when", async () => {
    const { head, key, note } = await signed("team/喵 1");
    expect(note.split("\n")).toEqual([
      "countersign/chain/v1/team%2F%E5%96%B5%201",
      "3",
      Buffer.from(head.hash).toString("base64"),
      "time 2026-02-03T04:05:06.007Z",
      "epoch 0",
      "",
      expect.stringMatching(/^— ops\.example [A-Za-z0-9+/]+=*$/),
      "",
    ]);
    expect(openCheckpoint(note, [key.publicKey])).toEqual({
      workspaceId: "team/喵 1",
      seq: 3,
      hash: Buffer.from(head.hash),
      time: TIME,
      epoch: 0,
      keyId: key.keyId,
      note,
    });
  });

  it("still opens after its key was replaced, as long as the old public key is trusted", async () => {
    const { key, note } = await signed();
    const next = newKey();
    expect(openCheckpoint(note, [next.publicKey, key.publicKey]).keyId).toBe(key.keyId);
    expect(() => openCheckpoint(note, [next.publicKey])).toThrow("no key that is trusted here");
  });

  it("takes a further signature of another key beside its own", async () => {
    const { head, key, note } = await signed();
    const witness = newKey("witness.example");
    const other = signCheckpoint(head, TIME, witness).split("\n\n")[1];
    expect(openCheckpoint(note + other, [key.publicKey]).keyId).toBe(key.keyId);
    expect(openCheckpoint(note + other, [witness.publicKey]).keyId).toBe(witness.keyId);
  });

  it("does not open when any character of what is signed was changed (attack G7)", async () => {
    const { key, note } = await signed();
    const end = note.indexOf("\n\n");
    for (let at = 0; at < end; at++) {
      const changed = note.slice(0, at) + (note[at] === "1" ? "2" : "1") + note.slice(at + 1);
      expect(() => openCheckpoint(changed, [key.publicKey])).toThrow("cannot be trusted");
    }
  });

  it.each(["", "\n\n", "no note at all", "a\n\n— b c\n"])("refuses %j", (text) => {
    expect(() => openCheckpoint(text, [newKey().publicKey])).toThrow("cannot be trusted");
  });
});
