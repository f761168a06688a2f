import type { ServerResponse } from "node:http";
import type { Entity } from "./telegram-text.js";

export type Call = Readonly<Record<string, unknown>>;

interface Button {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}

export interface Sent {
  readonly id: number;
  readonly chatId: string;
  /** In seconds, as Telegram says it, and as it was. */
  readonly date: number;
  readonly at: number;
  text: string;
  entities: readonly Entity[];
  keyboard: readonly Button[];
}

/** An error as the Bot API words it. */
export class Failure extends Error {
  readonly code: number;
  readonly parameters: object | undefined;

  constructor(code: number, description: string, parameters?: object) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }

  static busy(seconds: number): Failure {
    return new Failure(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  }
}

export function answerTo(response: ServerResponse, result: unknown): void {
  if (result instanceof Error && !(result instanceof Failure)) throw result;
  const [status, body] =
    result instanceof Failure
      ? [
          result.code,
          { ok: false, error_code: result.code, description: result.message, parameters: result.parameters },
        ]
      : [200, { ok: true, result }];
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Messages that are sent in a minute to one chat before Telegram asks for patience. */
const PER_MINUTE = 20;
/** Numbers grow in steps, so that what was said earlier and comes later still finds one in between. */
const STEP = 100;

/** What stands in the chats, and every rule that a message must keep to stand there. */
export class TelegramChats {
  readonly #known: Set<string>;
  readonly #faults: string[];
  readonly #sent: Sent[] = [];
  readonly #removed = new Set<string>();
  readonly #times = new Map<string, number[]>();
  #lastId = 0;

  constructor(known: readonly string[], faults: string[]) {
    this.#known = new Set(known);
    this.#faults = faults;
  }

  in(chatId: string): readonly Sent[] {
    return this.#sent.filter((sent) => sent.chatId === chatId);
  }

  find(id: number): Sent {
    const found = this.#sent.find((sent) => sent.id === id);
    if (found === undefined) throw new Failure(400, "Bad Request: message to edit not found");
    return found;
  }

  remove(chatId: string): void {
    this.#removed.add(chatId);
  }

  /** Number and time of what somebody says now, or said before and is delivered now. */
  heard(chatId: string, shift: number): { id: number; date: number } {
    const at = Date.now() + shift;
    const later = shift < 0 ? this.in(chatId).find((sent) => sent.at > at) : undefined;
    const id = later === undefined ? this.#nextId() : later.id - 1;
    return { id, date: Math.floor(at / 1000) };
  }

  send(call: Call): Sent {
    const chatId = this.#chatOf(call);
    this.#pace(chatId);
    const at = Date.now();
    const sent = { id: this.#nextId(), chatId, at, date: Math.floor(at / 1000), ...this.#contentOf(call) };
    this.#sent.push(sent);
    return sent;
  }

  edit(call: Call): Sent {
    const chatId = this.#chatOf(call);
    const sent = this.find(Number(call.message_id));
    if (sent.chatId !== chatId) throw new Failure(400, "Bad Request: message to edit not found");
    const content = this.#contentOf(call);
    const { text, entities, keyboard } = sent;
    if (JSON.stringify({ text, entities, keyboard }) === JSON.stringify(content)) {
      throw new Failure(400, "Bad Request: message is not modified: specified new message content is exactly the same");
    }
    return Object.assign(sent, content);
  }

  #nextId(): number {
    this.#lastId += STEP;
    return this.#lastId;
  }

  #chatOf(call: Call): string {
    const chatId = String(call.chat_id);
    if (!this.#known.has(chatId)) throw new Failure(400, "Bad Request: chat not found");
    if (this.#removed.has(chatId)) throw new Failure(403, "Forbidden: bot was blocked by the user");
    return chatId;
  }

  #pace(chatId: string): void {
    const now = Date.now();
    const recent = (this.#times.get(chatId) ?? []).filter((time) => time > now - 60_000);
    if (recent.length >= PER_MINUTE) {
      this.#faults.push(`more than ${PER_MINUTE} messages a minute to one chat`);
      throw Failure.busy(30);
    }
    this.#times.set(chatId, [...recent, now]);
  }

  #contentOf(call: Call): { text: string; entities: readonly Entity[]; keyboard: readonly Button[] } {
    const { text, parse_mode, link_preview_options: preview } = call;
    if (typeof text !== "string" || text.trim() === "") throw new Failure(400, "Bad Request: message text is empty");
    if (text.length > 4096) throw new Failure(400, "Bad Request: message is too long");
    if (parse_mode !== undefined) this.#faults.push("values were handed to a markup language");
    if ((preview as { is_disabled?: boolean } | undefined)?.is_disabled !== true) this.#faults.push("previews are on");
    return { text, entities: this.#entitiesOf(call, text), keyboard: keyboardOf(call) };
  }

  #entitiesOf(call: Call, text: string): readonly Entity[] {
    const given = (call.entities ?? []) as readonly Entity[];
    if (given.length > 100) this.#faults.push("more than 100 entities: the rest is ignored");
    for (const { offset, length } of given) {
      if (offset < 0 || length <= 0 || offset + length > text.length)
        throw new Failure(400, "Bad Request: ENTITY_BOUNDS_INVALID");
    }
    return given.slice(0, 100);
  }
}

function keyboardOf(call: Call): readonly Button[] {
  const { inline_keyboard: rows = [] } = (call.reply_markup ?? {}) as {
    inline_keyboard?: readonly (readonly Button[])[];
  };
  for (const { callback_data: data, url } of rows.flat()) {
    const bytes = data === undefined ? 1 : Buffer.byteLength(data);
    if (bytes < 1 || bytes > 64) throw new Failure(400, "Bad Request: BUTTON_DATA_INVALID");
    if (url !== undefined && !new URL(url).hostname.includes(".")) {
      throw new Failure(400, `Bad Request: inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
    }
  }
  return rows.flat();
}
