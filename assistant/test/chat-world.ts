import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate, type JsonObject, memoryStore, type Person } from "countersign";
import { contentAnalyser } from "countersign/analysers";
import { fakeClock } from "countersign/testing";
import { afterEach } from "vitest";
import {
  type Assistant,
  type AssistantOptions,
  type ChatRequest,
  type ChatResponse,
  createAssistant,
} from "../src/index.js";
import { MEMBERS, PERSON } from "./world.js";

export interface Talk {
  readonly assistant: Assistant;
  readonly folder: string;
  readonly notices: readonly { readonly event: string; readonly fields: JsonObject }[];
  /** Moves the clock of gate and assistant. */
  advance(milliseconds: number): Promise<void>;
  say(message: string, more?: Partial<ChatRequest>, person?: Person): Promise<ChatResponse>;
  titles(status?: "open" | "done" | "all"): readonly string[];
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** An assistant at 2 p.m. UTC on 5 February 2026, a Thursday, with a household of its own. */
export function newTalk(options: Partial<AssistantOptions> = {}): Talk {
  const folder = mkdtempSync(join(tmpdir(), "countersign-chat-"));
  const clock = fakeClock(new Date("2026-02-05T14:00:00Z"));
  const gate = createGate({ store: memoryStore({ clock }), clock, analysers: [contentAnalyser()] });
  const notices: { event: string; fields: JsonObject }[] = [];
  const assistant = createAssistant({
    gate,
    folder,
    members: () => MEMBERS,
    now: () => clock.now(),
    timezone: "UTC",
    notice: (event, fields) => notices.push({ event, fields }),
    ...options,
  });
  open.push(async () => {
    await assistant.close();
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    assistant,
    folder,
    notices,
    advance: (milliseconds) => clock.advance(milliseconds),
    say: (message, more = {}, person = PERSON) => assistant.chat({ message, conversationId: "c1", ...more }, person),
    titles: (status = "open") => assistant.apps.todos.list("home", { status }).map(({ title }) => title),
  };
}

/** What a person who presses "confirm" sends. */
export function yes(response: ChatResponse): Partial<ChatRequest> {
  return { confirmationToken: response.pendingAction?.token ?? "none", confirmed: true };
}
