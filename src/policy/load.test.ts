import { chmodSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { definePolicy, loadPolicy, type PolicyEvent, parsePolicy, watchPolicy } from "./index.js";

const TEXT = "version: 1\nrules:\n  - { id: a, when: 'tool == \"x\"', effect: deny }\n";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-policy-"));
  path = join(folder, "countersign.policy.yaml");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("loading a policy file", () => {
  it("gives its rules with durations in milliseconds, frozen", () => {
    writeFileSync(
      path,
      `${TEXT}  - { id: b, when: true, effect: confirm, ttl: 1.5m, approvers: { count: 2 } }\ndefaults: { offlineTtl: 2h }\n`,
    );
    const policy = loadPolicy(path);
    expect(policy).toMatchObject({
      name: path,
      defaults: { offlineTtl: 7_200_000 },
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(policy.rules[1]).toEqual({ id: "b", when: true, effect: "confirm", ttl: 90_000, approvers: { count: 2 } });
    expect(Object.isFrozen(policy.rules) && Object.isFrozen(policy.rules[1]?.approvers)).toBe(true);
  });

  it.each([
    ["is absent (attack C8)", () => {}, "There is no such file."],
    ["is a folder", () => (path = folder), "The file cannot be read (EISDIR)."],
    ["is not text", () => writeFileSync(path, Buffer.from([0xff, 0xfe, 0xff])), "The file cannot be read"],
    ["is too large", () => writeFileSync(path, `${TEXT}#${"x".repeat(1_048_576)}`), "The file is larger than 1 MB."],
    ["is empty (attack C9)", () => writeFileSync(path, ""), "The file is empty."],
  ])("refuses a file that %s", (_, prepare, message) => {
    prepare();
    expect(() => loadPolicy(path)).toThrow(message);
  });

  it.skipIf(process.platform === "win32")("refuses a file that every user may write (attack C8)", () => {
    writeFileSync(path, TEXT);
    chmodSync(path, 0o666);
    expect(() => loadPolicy(path)).toThrow("Every user of this machine may write this file.");
  });
});

describe("the version of a policy", () => {
  it("is the same for the same rules, however they are written", () => {
    const inCode = definePolicy({ version: 1, rules: [{ effect: "deny", when: 'tool == "x"', id: "a" }] });
    expect(parsePolicy(`# a comment\n${TEXT}`).version).toBe(inCode.version);
  });

  it("changes with any rule and with their order", () => {
    const version = (...ids: string[]) =>
      definePolicy({ version: 1, rules: ids.map((id) => ({ id, when: `tool == "${id}"`, effect: "deny" as const })) })
        .version;
    expect(new Set([version("a", "b"), version("b", "a"), version("a")]).size).toBe(3);
  });
});

describe("watching a policy file", () => {
  const watched = (text = TEXT) => {
    writeFileSync(path, text);
    const events: PolicyEvent[] = [];
    return { events, ...watchPolicy(path, (event) => events.push(event)) };
  };

  it("refuses to start on a file that is wrong (attack C9)", () => {
    writeFileSync(path, "rules: oops");
    expect(() => watchPolicy(path, () => {})).toThrow("Expected a list of rules");
  });

  it("takes a change over and says that it may have tightened", () => {
    const { events, current, reload, close } = watched();
    const before = current();
    writeFileSync(path, TEXT.replace("deny", "confirm"));
    reload();
    expect(current().rules[0]?.effect).toBe("confirm");
    expect(events).toEqual([{ type: "changed", policy: current(), previous: before, tightened: true }]);
    close();
  });

  it("says nothing when only comments change", () => {
    const { events, reload, close } = watched();
    writeFileSync(path, `# why\n${TEXT}`);
    reload();
    expect(events).toEqual([]);
    close();
  });

  it.each([
    ["wrong", () => writeFileSync(path, TEXT.replace("deny", "alow")), 'Did you mean "allow"?'],
    ["emptied", () => writeFileSync(path, ""), "The file is empty."],
    ["removed", () => unlinkSync(path), "There is no such file."],
  ])("keeps the last good policy when the file is %s, says so once, and recovers (attack C9)", (_, spoil, message) => {
    const { events, current, reload, close } = watched();
    const before = current();
    spoil();
    reload();
    reload();
    expect(current()).toBe(before);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "refused", kept: before });
    expect((events[0] as { message: string }).message).toContain(message);
    expect((events[0] as { message: string }).message).toContain("The policy loaded before stays in force");
    writeFileSync(path, TEXT.replace("deny", "allow"));
    reload();
    expect(current().rules[0]?.effect).toBe("allow");
    close();
  });

  it("looks at the file by itself", async () => {
    const changed = new Promise<PolicyEvent>((resolve) => {
      writeFileSync(path, TEXT);
      const { close } = watchPolicy(path, (event) => {
        close();
        resolve(event);
      });
    });
    writeFileSync(path, `${TEXT}  - { id: b, when: 'tool == "y"', effect: deny }\n`);
    // The watcher does not keep a process alive; waiting for it here does.
    const alive = setInterval(() => {}, 1_000);
    expect(await changed).toMatchObject({ type: "changed" });
    clearInterval(alive);
  });
});
