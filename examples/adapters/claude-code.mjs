// Claude Code's hook before every tool, with the JSON that Claude Code writes to it.
import assert from "node:assert/strict";
import { createGate, memoryStore } from "countersign";
import { answerHook } from "countersign/claude-code";
import { personAt } from "./person.mjs";

const gate = createGate({ store: memoryStore() });
const person = personAt(gate).edits("Bash", () => ({ command: "git push --dry-run" }));

/** @param {string} tool @param {object} input */
const hook = (tool, input) =>
  answerHook(
    { hook_event_name: "PreToolUse", session_id: "s1", cwd: "/project", tool_name: tool, tool_input: input },
    gate,
  );

const look = await hook("Read", { file_path: "/project/README.md" });
assert.match(JSON.stringify(look), /"permissionDecision":"allow"/);
const push = await hook("Bash", { command: "git push --force" });
assert.match(JSON.stringify(push), /"updatedInput":\{"command":"git push --dry-run"\}/);
console.log("Reading passed, and the push became the one that a person wanted.");
await person.stop();
await gate.close();
