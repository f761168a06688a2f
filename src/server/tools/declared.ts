import { CountersignError } from "../../core/errors.js";
import type { JsonObject } from "../../core/json.js";
import { atLeast } from "../../core/risk.js";
import { type AnyTool, defineTool } from "../../core/tool.js";
import type { DeclaredToolForm } from "../wire/tools.js";
import { schemaFrom } from "./json-schema.js";

/** The tool that a declaration describes. It has no `execute`: its agent claims and runs it. */
export function declaredToolFrom(form: DeclaredToolForm): AnyTool {
  const { inputSchema, riskTier, rollbackNote, ...rest } = form;
  const isRead = rest.effect === "read" && rest.destructive !== true;
  // An agent's word about its own danger may raise, never lower.
  const raised = riskTier !== undefined && (isRead || atLeast(riskTier, "R2")) ? { riskTier } : {};
  if (inputSchema !== undefined && inputSchema["type"] !== "object") {
    throw new CountersignError("invalid_tool", `The input schema of "${form.name}" describes an object of arguments.`);
  }
  return defineTool({
    ...rest,
    ...raised,
    ...(inputSchema === undefined ? {} : { inputSchema: schemaFrom(form.name, inputSchema as JsonObject) }),
    ...(rollbackNote === undefined ? {} : { rollback: { note: rollbackNote } }),
  });
}
