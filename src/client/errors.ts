import type { ErrorCode } from "../core/errors.js";
import type { Problem } from "./wire.js";

/**
 * A refusal of the server, or `unreachable` when there was none to be had. Test `code`; it has the same name and codes as the
 * engine's error, without its code.
 */
export class ClientError extends Error {
  override readonly name = "CountersignError";
  readonly code: ErrorCode | (string & {});
  readonly retryable: boolean;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly details: Pick<Problem, "approvalId" | "decidedBy" | "decidedByName" | "path">;
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    problem: Omit<Problem, "type" | "title">,
    more: { cause?: unknown; retryAfter?: number | undefined } = {},
  ) {
    const { code, retryable, status, detail, approvalId, decidedBy, decidedByName, path } = problem;
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryable = retryable;
    this.status = status;
    this.retryAfter = more.retryAfter;
    this.details = {
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(decidedBy === undefined ? {} : { decidedBy }),
      ...(decidedByName === undefined ? {} : { decidedByName }),
      ...(path === undefined ? {} : { path }),
    };
  }
}

export function unreachable(url: string, cause: unknown): ClientError {
  const detail = `The server at ${url} does not answer. Whatever was sent may or may not have arrived.`;
  return new ClientError({ code: "unreachable", retryable: true, status: 0, detail }, { cause });
}

/** An answer that is not one of ours: a proxy's page, or half of one. It is never taken for a yes. */
export function notOurs(status: number): ClientError {
  const detail = `The answer (status ${status}) is not one of a Countersign server.`;
  return new ClientError({ code: "unreachable", retryable: status >= 500 || status === 200, status, detail });
}
