import { ClientError } from "./errors.js";
import { Backoff, mayRetry, pause } from "./retry.js";
import { serverSentEvents } from "./server-sent-events.js";
import type { Transport } from "./transport.js";
import type { LiveEvent, LiveEvents } from "./wire-live.js";

export interface EventsOptions {
  /** The `seq` of the last event seen; left out, from now on. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Long polls where streams do not get through. A proxy that answers a stream with something else is noticed by itself. */
  readonly by?: "stream" | "poll";
  /** Told when the connection breaks and when it stands again. */
  readonly onConnection?: (connected: boolean) => void;
}

const POLL_WAIT = 25;
/** The server says something every fifteen seconds; more than twice that is a dead line. */
const SILENCE = 40_000;

/**
 * Everything this client may see, in order, through breaks and restarts and without a gap: after each the server is asked from
 * the last event on. Ends when aborted; throws when the right to listen is gone.
 */
export async function* liveEvents(transport: Transport, options: EventsOptions = {}): AsyncGenerator<LiveEvent, void> {
  const { signal, onConnection } = options;
  const backoff = new Backoff();
  const place = { after: options.after };
  let by = options.by ?? "stream";
  for (;;) {
    try {
      for await (const event of by === "stream"
        ? streamed(transport, place, options)
        : polled(transport, place, options)) {
        backoff.reset();
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ClientError && error.code === "not_a_stream") by = "poll";
      // Whatever is not an answer of the server is a line that broke.
      else if (error instanceof ClientError && !mayRetry(error)) throw error;
    }
    onConnection?.(false);
    await pause(backoff.delay(), signal);
    if (signal?.aborted) return;
  }
}

interface Place {
  after: number | undefined;
}

async function* streamed(transport: Transport, place: Place, { signal, onConnection }: EventsOptions) {
  // Where the chain stands now is asked first, so that a break before the first event loses none.
  place.after ??= (await poll(transport, undefined, 0, signal)).next;
  const response = await transport.stream({
    path: "/v1/events",
    headers: { "last-event-id": String(place.after) },
    signal,
  });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    throw new ClientError({ code: "not_a_stream", status: 200, retryable: true, detail: "This is not a stream." });
  }
  onConnection?.(true);
  for await (const { id, data } of serverSentEvents(response, SILENCE)) {
    if (data !== undefined) yield JSON.parse(data) as LiveEvent;
    if (id !== undefined) place.after = Number(id);
  }
}

async function* polled(transport: Transport, place: Place, { signal, onConnection }: EventsOptions) {
  for (;;) {
    const page = await poll(transport, place.after, place.after === undefined ? 0 : POLL_WAIT, signal);
    onConnection?.(true);
    yield* page.events;
    place.after = page.next;
  }
}

function poll(transport: Transport, after: number | undefined, wait: number, signal: AbortSignal | undefined) {
  return transport.json<LiveEvents>({
    path: "/v1/events/poll",
    query: { after, wait },
    timeout: (wait + 15) * 1_000,
    signal,
  });
}
