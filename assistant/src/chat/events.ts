import type { Card, CommandMetadata } from "countersign";

/** What a stream tells, in the order it happens. A call that waits for a person is told so before it runs. */
export type ChatEvent =
  | { readonly type: "token"; readonly text: string }
  | { readonly type: "tool_start"; readonly callId: string; readonly name: string; readonly args: unknown }
  | { readonly type: "approval_required"; readonly callId: string; readonly card: Card }
  | { readonly type: "approval_resolved"; readonly callId: string; readonly outcome: ApprovalOutcome }
  | {
      readonly type: "tool_end";
      readonly callId: string;
      readonly name: string;
      readonly result: unknown;
      readonly latencyMs: number;
      readonly metadata?: ToolMetadata;
    }
  | { readonly type: "error"; readonly message: string }
  | {
      readonly type: "done";
      readonly requestId: string;
      readonly conversationId: string;
      readonly toolExecutions: number;
      readonly totalToolLatencyMs: number;
    };

export type ApprovalOutcome = "approved" | "denied" | "expired" | "cancelled" | "pending";

export type ToolMetadata = Pick<CommandMetadata, "destructive" | "mutation" | "tags" | "confirmPrompt">;

/** For hosts that want to hear of every call, streamed or not. */
export interface ToolCallbacks {
  readonly onToolStart?: (name: string, args: unknown) => void;
  readonly onToolEnd?: (name: string, result: unknown, latencyMs: number, metadata: ToolMetadata | undefined) => void;
}

export interface ConfirmDialog {
  readonly title: string;
  readonly prompt: string;
}

/**
 * The dialog a frontend opens for a command, or undefined when none is needed. A command nobody described counts as
 * destructive: not knowing is no reason to be quiet.
 */
export function confirmDialog(metadata: ToolMetadata | undefined): ConfirmDialog | undefined {
  if (metadata !== undefined && metadata.destructive === false) return undefined;
  return { title: "Confirm Agent Action", prompt: metadata?.confirmPrompt || "Are you sure?" };
}

/** One event in the form of server-sent events. */
export function toServerSentEvent({ type, ...data }: ChatEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
