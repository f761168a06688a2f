import type { AnyTool, Gate } from "countersign";
import type { ToolMetadata } from "./events.js";

/** What frontends are told of a tool, with the prompt its arguments ask for. Undefined for a tool nobody knows. */
export function metadataFor(gate: Gate, name: string, args: unknown): ToolMetadata | undefined {
  const known = gate.registry.getCommandMetadata(name);
  if (known === undefined) return undefined;
  const { destructive, mutation, tags, confirmPrompt } = known;
  const prompt = confirmPrompt ?? promptFor(gate.registry.find(name), args);
  return { destructive, mutation, tags, ...(prompt === undefined ? {} : { confirmPrompt: prompt }) };
}

function promptFor(tool: AnyTool | undefined, args: unknown): string | undefined {
  if (typeof tool?.confirmPrompt !== "function") return undefined;
  try {
    return tool.confirmPrompt(args, "en");
  } catch {
    return undefined; // arguments it was not made for: the generic question then
  }
}
