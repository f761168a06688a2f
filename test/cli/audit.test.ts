import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Machine } from "./machine.js";

const machine = new Machine();
const at = (name: string) => join(machine.data, name);

describe("countersign audit, on what a server left behind", () => {
  beforeAll(async () => {
    await machine.start();
    await machine.signIn();
    writeFileSync(at("audit.pub"), (await machine.run(["audit", "key"])).stdout);
    writeFileSync(at("export.jsonl"), (await machine.run(["audit", "export"])).stdout);
    // The last checkpoint is signed at the end.
    await machine.stop();
    return () => machine.end();
  });

  it("finds the whole export under checkpoints, without any server", async () => {
    const files = [at("export.jsonl"), "--checkpoints", at("checkpoints"), "--key", at("audit.pub")];
    expect(await machine.run(["audit", "verify", ...files])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ entries hold, all under a checkpoint\.\n$/),
    });
  });

  it("finds the entry that somebody changed (I7)", async () => {
    const lines = readFileSync(at("export.jsonl"), "utf8").split("\n");
    const changed = lines.with(
      1,
      (lines[1] ?? "").replace(/"time":"?\d/, (text) => `${text}1`),
    );
    expect(changed).not.toEqual(lines);
    writeFileSync(at("changed.jsonl"), changed.join("\n"));
    const found = await machine.run(["audit", "verify", at("changed.jsonl")]);
    expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining("BROKEN at entry 2") });
  });

  it("says what stands under no checkpoint, and takes no checkpoint without a key (I8)", async () => {
    const alone = await machine.run(["audit", "verify", at("export.jsonl")]);
    expect(alone).toMatchObject({ code: 0, stdout: expect.stringContaining("stand under none") });
    const keyless = await machine.run(["audit", "verify", at("export.jsonl"), "--checkpoints", at("checkpoints")]);
    expect(keyless).toMatchObject({ code: 2, stderr: expect.stringContaining("--checkpoints needs --key") });
  });
});
