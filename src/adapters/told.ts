import { toCountersignError } from "../core/errors.js";
import type { Outcome, OutcomeType } from "../core/outcome.js";
import type { Change } from "../core/text/diff.js";

/**
 * What a model is given instead of, or around, a tool's result. A plain success is handed over as the tool gave it; everything
 * else says what happened in one typed value, so that a model, a stop condition and a user interface can tell.
 */
export interface Told {
  readonly countersign: {
    /** `refused` stands for a gate that did not take the call: it is down, closed, or the arguments are wrong. */
    readonly outcome: OutcomeType | "refused";
    readonly code: string;
    readonly message: string;
    readonly approvalId?: string;
    /** A person's no and an open question are answers; calling again changes neither. */
    readonly retry: boolean;
    readonly changes?: readonly Change[];
  };
  /** With `succeeded`: what the tool gave. A person changed the arguments, or the result waits for its release. */
  readonly result?: unknown;
}

/** Recognised by its shape: it comes back from message stores as plain JSON. */
export function isTold(value: unknown): value is Told {
  const mark = (value as Told | null | undefined)?.countersign;
  return typeof mark === "object" && mark !== null && typeof mark.code === "string" && typeof mark.message === "string";
}

/** The outcome for a model. Only a success that ran as asked is anything but `Told`. */
export function tell(outcome: Outcome, value: unknown = resultOf(outcome)): unknown {
  const { type, code = "TOOL_RAN", message, approvalId } = outcome;
  const changes = type === "succeeded" ? outcome.changes : undefined;
  const plain = type === "succeeded" && changes === undefined && outcome.withheld === undefined;
  if (plain) return value;
  const told: Told = {
    countersign: {
      outcome: type,
      code,
      message,
      ...(approvalId === undefined ? {} : { approvalId }),
      retry: type === "expired",
      ...(changes === undefined ? {} : { changes }),
    },
    ...(type === "succeeded" ? { result: outcome.withheld ? null : (value ?? null) } : {}),
  };
  return told;
}

/** A gate that throws has not let anything run. Arguments that do not fit may be corrected; everything else is for people. */
export function tellError(thrown: unknown): Told {
  const { code, message, details } = toCountersignError(thrown);
  const { approvalId } = details;
  const lives = approvalId !== undefined;
  return {
    countersign: {
      outcome: "refused",
      code,
      message: lives ? message : `Not run: ${message}`,
      ...(lives ? { approvalId } : {}),
      retry: code === "invalid_args",
    },
  };
}

function resultOf(outcome: Outcome): unknown {
  return outcome.type === "succeeded" ? outcome.result : undefined;
}
