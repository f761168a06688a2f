/** JSON-RPC as it passes through: only what routing needs is looked at, everything else stays as it came. */
export type Id = string | number;

export interface Params {
  readonly [key: string]: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: Id;
  readonly method: string;
  readonly params?: Params;
}

export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}

export type Answer =
  | { readonly result: { readonly [key: string]: unknown } }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

type RpcResponse = { readonly jsonrpc: "2.0"; readonly id: Id } & Answer;
export type Rpc = RpcRequest | RpcNotification | RpcResponse;

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
const SERVER_ERROR = -32000;

export function isRequest(message: Rpc): message is RpcRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: Rpc): message is RpcNotification {
  return "method" in message && !("id" in message);
}

export function rpcError(code: number, message: string): Answer {
  return { error: { code, message } };
}

/** A server that is gone or cannot be reached: what was asked of it has not begun. */
export function unreachable(server: string, thrown: unknown): Answer {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return rpcError(SERVER_ERROR, `The MCP server "${server}" did not answer: ${why}`);
}

/** In place of an answer that never came to what the server may have begun. For the client it reads as any other error. */
export class NoAnswer {
  readonly error: { readonly code: number; readonly message: string };

  constructor(server: string, why: string) {
    this.error = { code: SERVER_ERROR, message: `The MCP server "${server}" did not answer: ${why}` };
  }
}

const NOT_REACHED: readonly unknown[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "NOT_CONNECTED"];

/** What a request came to that could not be sent, or broke on its way: only a server that refused or was not met did nothing. */
export function notSent(server: string, thrown: unknown): Answer {
  const { code, status, cause } = (thrown ?? {}) as { code?: unknown; status?: unknown; cause?: { code?: unknown } };
  const refused = typeof status === "number" && status >= 400 && status < 500;
  if (refused || [code, cause?.code].some((one) => NOT_REACHED.includes(one))) return unreachable(server, thrown);
  return new NoAnswer(server, thrown instanceof Error ? thrown.message : String(thrown));
}

/** Clients of the 2026-07-28 protocol say with each request who they are and what they can; older ones said it once. */
export function envelope(params: Params | undefined, field: string): unknown {
  return params?.["_meta"]?.[`io.modelcontextprotocol/${field}`];
}

export function isModern(params: Params | undefined): boolean {
  return typeof envelope(params, "protocolVersion") === "string";
}

export function progressTokenOf(params: Params | undefined): Id | undefined {
  const token = params?.["_meta"]?.["progressToken"];
  return typeof token === "string" || typeof token === "number" ? token : undefined;
}
