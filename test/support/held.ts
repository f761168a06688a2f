import { afterEach } from "vitest";
import type { Person } from "../../src/core/approval.js";
import type { Caller, ToolCall } from "../../src/core/call.js";
import type { Card } from "../../src/core/card/card.js";
import type { Gate, GateOptions } from "../../src/core/gate.js";
import { defineTool, type Locale, type ToolDefinition } from "../../src/core/tool.js";
import { createGate } from "../../src/create-gate.js";
import { memoryStore } from "../../src/stores/memory.js";

export const ANN: Person = { kind: "person", userId: "ann", workspaceId: "home" };
export const CALLER: Caller = { userId: "ann", workspaceId: "home", sessionId: "s1", agentId: "agent-7" };

const open: Gate[] = [];
afterEach(async () => {
  for (const gate of open.splice(0)) await gate.close();
});

export function openGate(options: Partial<GateOptions>): Gate {
  const gate = createGate({ store: memoryStore(), ...options });
  open.push(gate);
  return gate;
}

export interface Held {
  readonly gate: Gate;
  readonly approvalId: string;
  readonly card: (locale?: Locale) => Promise<Card>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests define tools of any argument type
type AnyDefinition = ToolDefinition<any, any>;

interface Situation {
  readonly call?: Partial<ToolCall>;
  readonly caller?: Partial<Caller>;
  readonly gate?: Partial<GateOptions>;
}

/** A call that a real gate holds for Ann. */
export async function held(
  tool: Partial<AnyDefinition>,
  args: unknown = {},
  { call = {}, caller = {}, gate: options = {} }: Situation = {},
): Promise<Held> {
  const defined = defineTool({ name: "mail.send", confirm: true, execute: () => "done", ...tool });
  const gate = openGate({ ...options, tools: [defined, ...(options.tools ?? [])] });
  const outcome = await gate.submit({ tool: defined.name, args, ...call }, { ...CALLER, ...caller });
  if (outcome.type !== "pending") throw new Error(`the call was not held but ${outcome.type}`);
  const { approvalId } = outcome;
  const person = { ...ANN, ...(caller.userId === undefined ? {} : { userId: caller.userId }) };
  return {
    gate,
    approvalId,
    card: async (locale) => {
      const card = await gate.card(approvalId, person, locale);
      if (card === undefined) throw new Error("the card is gone");
      return card;
    },
  };
}

/** Every text anywhere inside a value, keys included. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
}
