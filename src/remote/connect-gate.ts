import type { GateLike } from "../adapters/gate-like.js";
import { type Client, type ClientOptions, createClient } from "../client/client.js";
import { ClientError } from "../client/errors.js";
import { Backoff, LONGEST_TIMER, mayRetry, pause } from "../client/retry.js";
import type { Caller, ToolCall } from "../core/call.js";
import type { Receipt } from "../core/claim.js";
import { CountersignError } from "../core/errors.js";
import type { SubmitOptions } from "../core/gate.js";
import type { Outcome } from "../core/outcome.js";
import { createRegistry, type Registry } from "../core/registry.js";
import type { Claim } from "../core/remote.js";
import { validateArgs } from "../core/schema.js";
import type { AnyTool } from "../core/tool.js";
import { deadlineOf, type WaitOptions } from "../core/wait.js";
import { declarationOf } from "./declaration.js";
import { defaultDevicePath, fileDevice } from "./file-device.js";
import { type Finish, type Ready, runClaimed } from "./run-claimed.js";

export interface ConnectOptions extends Pick<ClientOptions, "url" | "sessionId" | "fetch" | "onRetry"> {
  readonly key: string;
  /** What runs here. The server judges, asks and records; it never sees the code. */
  readonly tools?: readonly AnyTool[];
  /** Where this machine's key pair is kept, for keys that work from approved devices alone. */
  readonly devicePath?: string;
}

/** A gate behind a server, for tools that run in this process. */
export function connectGate(options: ConnectOptions): RemoteGate {
  return new RemoteGate(options);
}

const LOST_RACE: readonly string[] = ["token_mismatch", "already_claimed", "not_approved"];
/** Losing a race for a token is no reason to give up; losing it this often is. */
const MAX_CLAIMS = 10;
const PER_DECLARATION = 100;
/** How long one look of a call that nobody awaits here lasts, before the gate checks whether it was closed. */
const FOLLOW = 20_000;

/**
 * The same interface as a gate in this process. Whom a call is made for is the key's matter: of a caller only session and lineage
 * are told. A server that is not there refuses, or is waited for until the deadline; nothing runs without its claim.
 */
export class RemoteGate implements GateLike {
  readonly registry: Registry;
  readonly #options: ConnectOptions;
  readonly #declared = new Map<string, string>();
  readonly #running = new Map<string, Promise<Outcome>>();
  readonly #followed = new Set<Promise<unknown>>();
  #client: Client;
  #bound = false;
  #closed = false;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.registry = createRegistry(options.tools ?? []);
    this.#client = createClient(options);
  }

  /** Asks, and runs at once what needs no person. What a person approves later runs here by itself while this gate is open. */
  async submit(call: ToolCall, caller?: Caller, options: SubmitOptions = {}): Promise<Outcome> {
    const outcome = await this.#ask(call, caller, options);
    if (this.#isReady(outcome)) return this.#perform(outcome, caller);
    if (this.#isOurs(outcome)) this.#follow(outcome.approvalId, caller);
    return outcome;
  }

  /** The same, and then waits for the person and for the outcome. */
  async run(call: ToolCall, caller?: Caller, options: SubmitOptions = {}): Promise<Outcome> {
    const fixed = fix(options);
    const outcome = await this.#ask(call, caller, fixed);
    return this.#settle(outcome, caller, { ...fixed, signal: options.signal ?? NEVER });
  }

  /** Joins an earlier call of this key and session, after any restart; runs it here if it is approved and not claimed. */
  async resume(approvalId: string, caller?: Caller, options: WaitOptions = {}): Promise<Outcome> {
    const fixed = fix(options);
    await this.#declare();
    const outcome = await this.#with(({ calls }) => calls.resume(approvalId, sessionOf(caller)));
    const waits = options.deadline !== undefined || options.signal !== undefined;
    if (waits || this.#isReady(outcome)) return this.#settle(outcome, caller, fixed);
    if (this.#isOurs(outcome)) this.#follow(approvalId, caller);
    return outcome;
  }

  async cancel(by: { readonly approvalId?: string }, caller?: Caller, reason?: string): Promise<Outcome> {
    const { approvalId } = by;
    if (approvalId === undefined) throw new CountersignError("not_supported", "Name the call by its approvalId.");
    return this.#with(({ calls }) => calls.cancel(approvalId, reason, caller?.sessionId));
  }

  async claim(
    input: { readonly approvalId: string; readonly tokenId: string; readonly toolCallHash?: string },
    caller?: Caller,
  ): Promise<Claim> {
    // A tool that has become another since the question was put is no longer the one that was approved; the server checks.
    await this.#declare();
    return this.#with(({ calls }) => calls.claim(input, caller?.sessionId));
  }

  finish(
    input: { readonly approvalId: string; readonly claimId: string } & Receipt,
    caller?: Caller,
  ): Promise<Outcome> {
    return this.#with(({ calls }) => calls.finish(input, caller?.sessionId));
  }

  /** Lets what runs here end. What waits for a person lives on at the server; a later gate resumes it. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#running.values()]);
  }

  async #ask(call: ToolCall, caller: Caller | undefined, { deadline, signal }: WaitOptions): Promise<Outcome> {
    if (this.#closed) throw new CountersignError("closed", "This gate is closed.");
    const tool = this.registry.find(call.tool);
    // Refused here as a gate would; the server checks again by what it was told.
    const args = tool === undefined ? call.args : await validateArgs(tool.name, tool.inputSchema, call.args);
    const lineage = caller?.lineage;
    // Every request has a key, so that sending it again does nothing twice; without one of the caller's, identical calls join.
    const join = call.idempotencyKey === undefined ? ({ join: true } as const) : {};
    const sent = { ...call, ...join, args, ...sessionOf(caller), ...(lineage === undefined ? {} : { lineage }) };
    await this.#declare();
    return this.#with(({ calls }) => calls.submit(sent, { deadline, signal }));
  }

  async #settle(known: Outcome, caller: Caller | undefined, wait: WaitOptions): Promise<Outcome> {
    let outcome = known;
    while (outcome.type === "pending") {
      if (this.#isReady(outcome)) return this.#inTime(this.#perform(outcome, caller), outcome, caller, wait);
      // Another process may run it, or the adapter that asked: the token is theirs.
      if (outcome.token !== undefined) return outcome;
      const { approvalId } = outcome;
      const next = await this.#with(({ calls }) => calls.resume(approvalId, { ...wait, ...sessionOf(caller) }));
      const waited = deadlineOf(wait, Date.now());
      if (next.type === "pending" && next.token === undefined && waited !== undefined && waited <= Date.now())
        return next;
      outcome = next;
    }
    return outcome;
  }

  /** At the deadline the caller learns that it runs; the run goes on. */
  async #inTime(
    running: Promise<Outcome>,
    ready: Ready,
    caller: Caller | undefined,
    wait: WaitOptions,
  ): Promise<Outcome> {
    const deadline = deadlineOf(wait, Date.now());
    if (deadline === undefined) return running;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), Math.max(0, Math.min(deadline - Date.now(), LONGEST_TIMER)));
    });
    const ended = await Promise.race([running, late]).finally(() => clearTimeout(timer));
    return ended ?? this.#with(({ calls }) => calls.resume(ready.approvalId, sessionOf(caller)));
  }

  /** However many wait for it here, one of them claims and runs it. */
  #perform(ready: Ready, caller: Caller | undefined): Promise<Outcome> {
    const { approvalId } = ready;
    const known = this.#running.get(approvalId);
    if (known !== undefined) return known;
    const running = this.#claimAndRun(ready, caller).finally(() => this.#running.delete(approvalId));
    this.#running.set(approvalId, running);
    return running;
  }

  async #claimAndRun(first: Ready, caller: Caller | undefined): Promise<Outcome> {
    let outcome: Outcome = first;
    for (let claims = 0; claims < MAX_CLAIMS && this.#isReady(outcome); claims++) {
      const { approvalId, token, card }: Ready = outcome;
      const { tokenId, toolCallHash } = token;
      try {
        const claim = await this.claim({ approvalId, tokenId, toolCallHash }, caller);
        const finish: Finish = (receipt) => this.finish(receipt, caller);
        return await runClaimed(this.registry.find(claim.tool), claim, { caller, card, finish });
      } catch (error) {
        if (!LOST_RACE.includes((error as ClientError).code)) throw error;
        // Another look has made this token void, or another process holds the claim: what stands now is asked.
        const wait = { ...sessionOf(caller), deadline: FOLLOW };
        outcome = await this.#with(({ calls }) => calls.resume(approvalId, wait));
      }
    }
    return outcome;
  }

  /** Looks after a call that nobody here awaits, so that a yes starts it. */
  #follow(approvalId: string, caller: Caller | undefined): void {
    const backoff = new Backoff();
    const look = async (): Promise<Outcome["type"]> => {
      const wait = { ...sessionOf(caller), deadline: FOLLOW };
      const outcome = await this.#with(({ calls }) => calls.resume(approvalId, wait));
      const ready = this.#isReady(outcome) && !this.#closed;
      return (ready ? await this.#perform(outcome, caller) : outcome).type;
    };
    const following = (async () => {
      while (!this.#closed) {
        try {
          if ((await look()) !== "pending") return;
          backoff.reset();
        } catch (error) {
          // A server may be away for longer than one look.
          if (!mayRetry(error)) throw error;
          await pause(backoff.delay());
        }
      }
    })().catch(() => undefined);
    this.#followed.add(following);
    void following.finally(() => this.#followed.delete(following));
  }

  /** The server knows each tool before it is asked for, as it is defined now. */
  async #declare(): Promise<void> {
    const changed = this.registry.list().filter(({ name, fingerprint }) => this.#declared.get(name) !== fingerprint);
    for (let at = 0; at < changed.length; at += PER_DECLARATION) {
      const tools = changed.slice(at, at + PER_DECLARATION);
      const body = { tools: tools.map(declarationOf) };
      await this.#with((client) => client.request({ method: "POST", path: "/v1/tools", body }));
      for (const { name, fingerprint } of tools) this.#declared.set(name, fingerprint);
    }
  }

  /** A key that works from approved devices alone says so; then this machine proves itself. */
  async #with<T>(task: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await task(this.#client);
    } catch (error) {
      if ((error as ClientError).code === "not_signed_in") throw this.#keyRefused(error);
      const wantsDevice = error instanceof ClientError && error.code === "device_refused" && error.status === 403;
      if (!wantsDevice || this.#bound) throw error;
      const device = fileDevice(this.#options.devicePath ?? defaultDevicePath());
      this.#client = createClient({ ...this.#options, device });
      this.#bound = true;
      return task(this.#client);
    }
  }

  /** Here nobody signs in: what is not known is the key. */
  #keyRefused(cause: unknown): ClientError {
    const detail = `The server at ${this.#options.url} does not accept the key: it is wrong, has ended or was revoked.`;
    return new ClientError({ code: "not_signed_in", retryable: false, status: 401, detail }, { cause });
  }

  #isReady(outcome: Outcome): outcome is Ready {
    return outcome.type === "pending" && outcome.token !== undefined && this.#isOurs(outcome);
  }

  #isOurs(outcome: Outcome): outcome is Extract<Outcome, { type: "pending" }> {
    return outcome.type === "pending" && this.registry.find(outcome.card.tool)?.execute !== undefined;
  }
}

const NEVER = new AbortController().signal;

/** Neither judging nor asking again lengthens it. */
function fix(options: WaitOptions): WaitOptions {
  const deadline = deadlineOf(options, Date.now());
  return deadline === undefined ? options : { ...options, deadline: new Date(deadline) };
}

function sessionOf(caller: Caller | undefined): { readonly sessionId?: string } {
  return caller === undefined ? {} : { sessionId: caller.sessionId };
}
