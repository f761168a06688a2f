import type { CreatePattern } from "./confidence.js";

export type Priority = "low" | "medium" | "high" | "urgent";

/** What a sentence wants of the tasks. Targets are the person's words; which task they mean is looked up later. */
export type TaskIntent =
  | {
      readonly type: "create";
      readonly pattern: CreatePattern;
      readonly title: string;
      readonly priority: Priority;
      readonly dueAt?: string;
      readonly confidence: number;
    }
  | { readonly type: "complete"; readonly target: string; readonly confidence: number }
  | { readonly type: "assign"; readonly target: string; readonly assignee: string; readonly confidence: number }
  | { readonly type: "reschedule"; readonly target: string; readonly dueAt: string; readonly confidence: number }
  | { readonly type: "delete"; readonly scope: "one" | "all" | "completed"; readonly target: string }
  | { readonly type: "list"; readonly status: "open" | "done" | "all" }
  /** The person wants nothing done. */
  | { readonly type: "refusal" }
  /** Wants an answer, and nothing written. `about` is set when it is about tasks. */
  | { readonly type: "question"; readonly about?: "tasks" }
  /** A task is wanted but its title is missing. */
  | { readonly type: "untitled" }
  | { readonly type: "chatter" };
