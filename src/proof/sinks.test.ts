import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder, newKey, WORKSPACE, write } from "../../test/proof-fixture.js";
import { memoryStore } from "../stores/memory.js";
import { openCheckpoint, signCheckpoint } from "./checkpoint.js";
import { generateSigningKey, parseSigningKey } from "./key.js";
import { loadKeyText } from "./key-file.js";
import { fileSink, readNotes, storeSink } from "./sinks.js";

const key = newKey();

async function noteAt(entries: number, workspaceId = WORKSPACE): Promise<string> {
  const store = memoryStore();
  await write(store, entries, workspaceId);
  return signCheckpoint(await store.checkpoint(workspaceId), 0, key);
}

describe("a file sink", () => {
  it("keeps every note, for its owner's eyes, and tells workspaces apart", async () => {
    const path = join(newFolder(), "checkpoints");
    const notes = [await noteAt(1), await noteAt(2, "other"), await noteAt(3)];
    const sink = fileSink(path);
    await Promise.all(notes.map((note) => sink.write(note, "")));
    expect(await readNotes(path)).toEqual(notes);
    expect(await fileSink(path).read?.(WORKSPACE)).toEqual([notes[0], notes[2]]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("has nothing before its first note", async () => {
    expect(await fileSink(join(newFolder(), "none")).read?.(WORKSPACE)).toEqual([]);
  });

  it("goes on after a crash that cut a note off at any place", async () => {
    const path = join(newFolder(), "checkpoints");
    const [first, cut, next] = [await noteAt(1), await noteAt(2), await noteAt(3)];
    const text = Buffer.byteLength(cut.slice(0, cut.indexOf("—")));
    for (let length = 1; length < Buffer.byteLength(`${cut}\n`); length++) {
      writeFileSync(path, `${first}\n`);
      appendFileSync(path, Buffer.from(`${cut}\n`).subarray(0, length));
      const whole = length >= Buffer.byteLength(cut) ? [cut] : [];
      expect(await readNotes(path), `read after ${length} bytes`).toEqual([first, ...whole]);
      // Flushing takes its time: every place near an end or a beginning, and some in between.
      if (length % 16 !== 0 && Math.abs(length - text) > 3 && length < Buffer.byteLength(cut) - 2) continue;
      await fileSink(path).write(next, WORKSPACE);
      const kept = await readNotes(path);
      expect(kept, `written after ${length} bytes`).toEqual([first, ...whole, next]);
      for (const note of kept) openCheckpoint(note, [key.publicKey]);
    }
  });

  it("rejects when it cannot write, and writes again when it can", async () => {
    const folder = newFolder();
    const path = join(folder, "checkpoints");
    writeFileSync(join(folder, "blocked"), "");
    await expect(fileSink(join(folder, "blocked", "x")).write(await noteAt(1), WORKSPACE)).rejects.toThrow("ENOTDIR");
    const sink = fileSink(path);
    await sink.write(await noteAt(1), WORKSPACE);
    expect(await readNotes(path)).toHaveLength(1);
  });
});

describe("a store sink", () => {
  it("keeps the newest note of each workspace", async () => {
    const sink = storeSink(memoryStore());
    const [one, two, other] = [await noteAt(1), await noteAt(2), await noteAt(2, "other")];
    for (const note of [one, two]) await sink.write(note, WORKSPACE);
    await sink.write(other, "other");
    expect(await sink.read?.(WORKSPACE)).toEqual([two]);
    expect(await sink.read?.("other")).toEqual([other]);
    expect(await sink.read?.("third")).toEqual([]);
  });
});

describe("a key file", () => {
  it("is made once, for its owner's eyes alone, and is the same ever after", () => {
    const path = join(newFolder(), "key");
    const make = () => generateSigningKey("ops.example");
    const text = loadKeyText({ path }, make);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(loadKeyText({ path }, make)).toBe(text);
    expect(readFileSync(path, "utf8").trim()).toBe(text);
    expect(parseSigningKey(text).name).toBe("ops.example");
  });

  it("is refused when others can read it (attack G11)", () => {
    const path = join(newFolder(), "key");
    loadKeyText({ path }, () => generateSigningKey("ops.example"));
    chmodSync(path, 0o644);
    expect(() => loadKeyText({ path })).toThrow("chmod 600");
  });

  it("gives way to a variable that is set, and says what is missing otherwise", () => {
    process.env["COUNTERSIGN_TEST_KEY"] = " key from outside ";
    expect(loadKeyText({ path: "/nowhere", env: "COUNTERSIGN_TEST_KEY" })).toBe("key from outside");
    delete process.env["COUNTERSIGN_TEST_KEY"];
    expect(() => loadKeyText({ env: "COUNTERSIGN_TEST_KEY" })).toThrow("set COUNTERSIGN_TEST_KEY");
  });
});
