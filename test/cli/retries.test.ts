import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { CLI, Machine } from "./machine.js";

it("exec says on standard error why it waits, and when it tries again", async () => {
  const machine = new Machine();
  onTestFinished(() => machine.end());
  await machine.start();
  const env = machine.env({ COUNTERSIGN_KEY: await machine.agentKey(["shell.command"]) });
  const child = spawn(process.execPath, [CLI, "exec", "--", "true"], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill());
  await machine.asked();
  await machine.stop();
  let said = "";
  for await (const chunk of child.stderr) {
    said += String(chunk);
    if (said.includes("Trying again")) break;
  }
  expect(said).toMatch(/does not answer\..*Trying again in \d s\.\n/);
});
