// The person of these examples: looks at each question and answers it. In real life this is the web view, a chat or the CLI.
import { scriptedApprover } from "countersign/testing";

/** @param {import("countersign").Gate} gate */
export function personAt(gate) {
  return scriptedApprover(gate, { kind: "person", userId: "local", workspaceId: "local" });
}
