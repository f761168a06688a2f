import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { beforeAll, expect, it } from "vitest";
import { CLI, Machine } from "./machine.js";

const machine = new Machine();

beforeAll(async () => {
  const rule = { id: "shell", when: 'tool == "shell.command"', effect: "allow", reason: "trusted here" };
  writeFileSync(join(machine.data, "countersign.policy.yaml"), JSON.stringify({ version: 1, rules: [rule] }));
  await machine.start();
  return () => machine.end();
});

it("leaves Ctrl-C to a command that nobody had to be asked about, and reports how that one ended (I6)", async () => {
  const env = machine.env({ COUNTERSIGN_KEY: await machine.agentKey(["shell.command"]), TERM: "xterm" });
  // A shell that waits for a program runs its trap once that one has ended: none here is there for long.
  const command = `trap 'exit 7' INT; echo "go""ing"; while true; do sleep 0.1; done`;
  const pty = spawn(process.execPath, [CLI, "exec", "--", command], { cols: 100, rows: 50, env });
  pty.onData((drawn) => {
    if (drawn.includes("going")) pty.write("\u0003");
  });
  expect(await new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))).toBe(7);
  const { entries } = await machine.browser<{ entries: { type: string }[] }>("GET", "/v1/audit/entries");
  expect(entries.map(({ type }) => type)).toContain("call.executed");
});
