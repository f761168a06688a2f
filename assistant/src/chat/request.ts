import type { JsonObject } from "countersign";
import { z } from "zod";
import { DOMAINS, type Domain } from "../agents/agent.js";
import { isTimezone } from "../language/timezone.js";

const LONGEST_MESSAGE = 4_000;

/** The body of `POST /agent/chat`. Strict about types: the text "true" confirms nothing. */
export const chatRequest = z
  .object({
    message: z.string().max(LONGEST_MESSAGE).optional(),
    conversationId: z
      .string()
      .regex(/^[\w.:+/=-]{1,100}$/)
      .optional(),
    domainHint: z.string().max(50).optional(),
    confirmationToken: z.string().max(100).optional(),
    confirmed: z.boolean().optional(),
    timezone: z.string().max(100).refine(isTimezone, "is not a time zone").optional(),
    locale: z.enum(["en", "zh"]).optional(),
  })
  .refine(({ message = "", confirmationToken }) => message.trim() !== "" || confirmationToken !== undefined, {
    message: "is required unless an action is confirmed",
    path: ["message"],
  });

export type ChatRequest = z.infer<typeof chatRequest>;

export interface ChatResponse {
  readonly text: string;
  readonly actions: readonly AgentAction[];
  readonly payload?: JsonObject;
  readonly domain: Domain;
  readonly conversationId: string;
  readonly requestId: string;
  readonly requiresConfirmation?: boolean;
  /** The first that waits; when there are several, all of them are in `payload.pendingActions`. */
  readonly pendingAction?: PendingActionInfo;
}

/** What was executed, or tried. */
export interface AgentAction {
  readonly tool: string;
  readonly input: JsonObject;
  readonly result: { readonly success: boolean; readonly data?: unknown; readonly error?: string };
}

export interface PendingActionInfo {
  readonly token: string;
  readonly description: string;
  readonly toolName: string;
  readonly inputPreview: JsonObject;
  readonly expiresAt: string;
  readonly isDestructive: boolean;
}

/** An unknown hint is no hint. */
export function domainOf(hint: string | undefined): Domain | undefined {
  return DOMAINS.find((domain) => domain === hint && domain !== "unknown");
}

/** A request that cannot be answered as a chat. The reason is for logs; the code is all that leaves. */
export class ChatError extends Error {
  readonly code: "invalid_request" | "invalid_confirmation";
  readonly reason: string;

  constructor(code: ChatError["code"], reason: string) {
    super(code === "invalid_request" ? reason : "This confirmation is not valid.");
    this.code = code;
    this.reason = reason;
  }
}
