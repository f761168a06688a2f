import type { Person } from "countersign";
import type { Mount } from "countersign/server";
import { z } from "zod";
import type { Assistant } from "./assistant.js";
import { toServerSentEvent } from "./chat/events.js";
import { ChatError } from "./chat/request.js";

const LARGEST_BODY = 100_000;
const commands = z
  .object({
    mode: z.enum(["batch", "pipeline"]).default("batch"),
    commands: z
      .array(z.object({ name: z.string().max(128), args: z.record(z.string(), z.unknown()).optional() }))
      .min(1)
      .max(50),
  })
  .strict();

/**
 * Everything the assistant answers over HTTP, for `serve(gate, { mounts })`. Who asks is known from signing in; nothing in a body
 * can say so.
 */
export function assistantMounts(assistant: Assistant): readonly Mount[] {
  return [
    {
      method: "post",
      path: "/agent/chat",
      handle: guarded(async (request, { person }) =>
        Response.json(await assistant.chat(await bodyOf(request), person)),
      ),
    },
    {
      method: "post",
      path: "/agent/chat/stream",
      handle: guarded(async (request, { person }) => eventStream(assistant, await bodyOf(request), person)),
    },
    {
      method: "get",
      path: "/agent/commands",
      handle: guarded(() => Promise.resolve(Response.json(assistant.gate.registry.listCommandsWithMetadata()))),
    },
    {
      method: "post",
      path: "/agent/commands",
      handle: guarded(async (request, { person }) => {
        const parsed = commands.safeParse(await bodyOf(request));
        if (!parsed.success) throw new ChatError("invalid_request", "Send a mode and a list of commands.");
        const { mode, commands: calls } = parsed.data;
        const named = calls.map(({ name, args }) => ({ name, ...(args === undefined ? {} : { args }) }));
        return Response.json({ results: await assistant[mode](named, person) });
      }),
    },
    {
      method: "post",
      path: "/agent/demo",
      handle: guarded(async (request, { person }) => {
        const locale = new URL(request.url).searchParams.get("locale") === "zh" ? "zh" : "en";
        return Response.json({ started: await assistant.demo.start(person, locale) });
      }),
    },
    {
      method: "get",
      path: "/agent/demo",
      handle: guarded((request, { person }) => {
        const after = Number(new URL(request.url).searchParams.get("after") ?? 0);
        const lines = assistant.demo.lines(person.workspaceId, Number.isSafeInteger(after) ? after : 0);
        return Promise.resolve(Response.json({ demo: true, lines }));
      }),
    },
    {
      method: "delete",
      path: "/agent/demo",
      handle: guarded(async (_request, { person }) => {
        await assistant.demo.remove(person);
        return new Response(null, { status: 204 });
      }),
    },
  ];
}

/** Errors leave as a code and a generic sentence; what is behind them stays inside. */
function guarded(handle: Mount["handle"]): Mount["handle"] {
  return async (request, context) => {
    try {
      return await handle(request, context);
    } catch (error) {
      if (error instanceof ChatError)
        return Response.json({ error: { code: error.code, message: error.message } }, { status: 400 });
      return Response.json({ error: { code: "internal", message: "Something went wrong." } }, { status: 500 });
    }
  };
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.length > LARGEST_BODY) throw new ChatError("invalid_request", "The request is too large.");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ChatError("invalid_request", "The request is not JSON.");
  }
}

function eventStream(assistant: Assistant, body: unknown, person: Person): Response {
  const events = assistant.stream(body, person)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(toServerSentEvent(value)));
    },
    // Whoever goes away cancels nothing: what waits is answered elsewhere.
    async cancel() {
      await events.return?.();
    },
  });
  return new Response(stream, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}
