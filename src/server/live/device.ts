import type { WebSocket } from "ws";
import { CountersignError } from "../../core/errors.js";
import { parseStrictJson } from "../../core/strict-json.js";
import type { Locale } from "../../core/tool.js";
import { everyWaiting } from "../../core/views.js";
import { problemOf } from "../http/problem.js";
import { may, type PersonPrincipal, personOf } from "../identity/index.js";
import { notSignedIn } from "../identity/sessions.js";
import type { Service } from "../service.js";
import type { Happening } from "./happening.js";
import type { Joined } from "./live.js";
import { personLookUp } from "./look-up.js";
import type { SkillMessages } from "./skill-messages.js";
import { respond } from "./skill-responses.js";
import type { SkillTokens } from "./skill-tokens.js";

/** What a device may leave unread before it is cut off; it comes back and everything open is shown again. */
const MAX_UNREAD = 4 * 1_048_576;
const MAX_MESSAGES = 200;
const WINDOW = 10_000;

export const CLOSED = { leaving: 1001, refused: 1008, slow: 1013, signedOut: 4401 } as const;

export interface DeviceContext {
  readonly service: Service;
  readonly tokens: SkillTokens;
  readonly messages: SkillMessages;
}

export interface DeviceOptions {
  readonly after?: number;
  readonly locale: Locale;
}

/** One open socket of a signed-in person: shows what waits, takes answers, tells what became of it. */
export class Device {
  readonly #context: DeviceContext;
  readonly #socket: WebSocket;
  readonly #options: DeviceOptions;
  #by: PersonPrincipal;
  #joined: Joined | undefined;
  #count = 0;
  #windowEnds = 0;

  constructor(context: DeviceContext, socket: WebSocket, by: PersonPrincipal, options: DeviceOptions) {
    this.#context = context;
    this.#socket = socket;
    this.#by = by;
    this.#options = options;
  }

  async open(): Promise<void> {
    const { service } = this.#context;
    let shown: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      shown = resolve;
    });
    let from = 0;
    this.#joined = await service.live.join(this.#by, personLookUp(service, this.#by), this.#options.after, {
      told: async (happenings, by) => {
        await started;
        if (by.kind === "person") await this.#tell(happenings, by, from);
      },
      ended: (why) =>
        why === "revoked"
          ? this.#socket.close(CLOSED.signedOut, "signed out")
          : this.#socket.close(CLOSED.leaving, "the server is closing"),
    });
    from = this.#joined.cursor;
    this.#socket.on("close", () => this.#joined?.leave());
    if (this.#socket.readyState !== this.#socket.OPEN) return this.#joined.leave();
    this.#send({ type: this.#joined.reset ? "stream_reset" : "connected", seq: from, payload: this.#who() });
    // Listening began before this list was read: whatever comes between the two is told twice rather than not at all.
    await this.#showPending(from);
    shown();
    await this.#joined.subscription.pump();
  }

  #who() {
    return { user_id: this.#by.userId, workspace_id: this.#by.workspaceId };
  }

  /** All that waits for this person, whatever the device has seen before. */
  async #showPending(seq: number): Promise<void> {
    if (!may(this.#by, "approval.decide")) return;
    const { gate, live } = this.#context.service;
    for await (const { approval } of everyWaiting(gate, personOf(this.#by))) {
      live.follow(approval);
      this.#send(await this.#context.messages.required(approval, this.#by, this.#options.locale, seq));
    }
  }

  async #tell(happenings: readonly Happening[], by: PersonPrincipal, from: number): Promise<void> {
    this.#by = by;
    for (const happening of happenings) {
      const message = await this.#context.messages.told(happening, by, this.#options.locale);
      // What was asked before this device came is in the list it has just been shown, as it stands now.
      const isOld = happening.event.seq <= from && message?.type === "app_skill_confirmation_required";
      if (!isOld) this.#send(message);
    }
  }

  /** Whatever goes wrong with a message, it decides nothing and is told so. */
  async receive(data: Uint8Array): Promise<void> {
    let requestId: unknown;
    try {
      this.#countMessage();
      const message = parseStrictJson(data) as { readonly [name: string]: unknown } | null;
      requestId = message?.["request_id"];
      if (message?.["type"] !== "app_skill_confirmation_response") throw unknownMessage();
      // Read again, not remembered: who was signed out a moment ago decides nothing.
      const by = await this.#joined?.subscription.recheck();
      if (by?.kind !== "person") throw notSignedIn();
      const { service, tokens } = this.#context;
      const results = await respond(service, { tokens, locale: this.#options.locale }, by, message["payload"]);
      this.#send({ type: "app_skill_confirmation_result", ...echo(requestId), payload: { results } });
    } catch (error) {
      this.#send({ type: "error", ...echo(requestId), payload: problemOf(error) });
    }
  }

  #countMessage(): void {
    const now = this.#context.service.clock.now();
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + WINDOW;
      this.#count = 0;
    }
    if (++this.#count <= MAX_MESSAGES) return;
    this.#socket.close(CLOSED.refused, "too many messages");
    throw new CountersignError("rate_limited", "Too many messages.");
  }

  #send(message: object | undefined): void {
    if (message === undefined || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > MAX_UNREAD) this.#socket.close(CLOSED.slow, "too slow");
  }
}

function echo(requestId: unknown): { readonly request_id?: string } {
  return typeof requestId === "string" && requestId.length <= 200 ? { request_id: requestId } : {};
}

function unknownMessage(): CountersignError {
  return new CountersignError(
    "invalid_request",
    'Nothing was done. Send { type: "app_skill_confirmation_response", payload }.',
    { path: "type" },
  );
}
