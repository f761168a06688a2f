import type { Clock } from "../../core/ports.js";

const HEARTBEAT = 15_000;
/** What a reader may leave unread before it is cut off; it comes back and goes on from its place. */
const MAX_UNREAD = 1_048_576;

/** A stream of server-sent events. */
export interface EventStream {
  readonly response: Response;
  /** False when nobody reads any more, or too slowly. */
  send(data: unknown, id?: number): boolean;
  close(): void;
}

/** `position` is told with every heartbeat, so that a reader that saw nothing for long resumes near the end all the same. */
export function openEventStream(clock: Clock, position: () => number | undefined, onClose: () => void): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelBeat: (() => void) | undefined;
  const encoder = new TextEncoder();

  const end = () => {
    cancelBeat?.();
    controller = undefined;
    onClose();
  };
  const close = () => {
    const open = controller;
    if (open === undefined) return;
    end();
    open.close();
  };
  const write = (text: string): boolean => {
    if (controller === undefined) return false;
    controller.enqueue(encoder.encode(text));
    if ((controller.desiredSize ?? 0) >= 0) return true;
    close();
    return false;
  };
  const beat = () => {
    cancelBeat = clock.timer(HEARTBEAT, () => {
      const at = position();
      if (write(at === undefined ? ":\n\n" : `id: ${at}\n:\n\n`)) beat();
    });
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
        // At once: a proxy that waits for the first byte would hide that the stream is open.
        write(": open\n\n");
        beat();
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD }),
  );
  return {
    response: new Response(body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        // Proxies that gather answers would hold events back.
        "x-accel-buffering": "no",
      },
    }),
    // Without a name of its own an event reaches every reader's plain `message` listener; its type is in the data.
    send: (data, id) => write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    close,
  };
}
