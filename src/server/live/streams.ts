import type { LiveEvent, LiveEvents } from "../../client/wire-live.js";
import type { Caller } from "../../core/call.js";
import type { Incoming } from "../http/incoming.js";
import type { Principal } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireTime } from "../views.js";
import { type EventStream, openEventStream } from "./event-stream.js";
import type { Joined } from "./live.js";
import { lookUpOf } from "./look-up.js";

/** Everything the principal may see, from a place in the chain or from now on, until one side goes. */
export async function streamEvents(
  service: Service,
  by: Principal,
  request: Incoming,
  after: number | undefined,
): Promise<Response> {
  const { live, clock } = service;
  let joined: Joined | undefined;
  const stream = openEventStream(
    clock,
    () => joined?.subscription.position,
    () => joined?.leave(),
  );
  const joining = live.join(by, lookUpOf(service, by, request), after, {
    told: (happenings) => {
      for (const { event } of happenings) {
        if (!stream.send(event, event.seq)) return;
      }
    },
    ended: () => stream.close(),
  });
  joined = await orClose(stream, joining);
  request.signal.addEventListener("abort", () => stream.close(), { once: true });
  if (joined.reset) stream.send(resetAt(service, joined), joined.subscription.position);
  void joined.subscription.pump().catch(() => stream.close());
  return stream.response;
}

/** What never came about must not go on beating. */
async function orClose<T>(stream: EventStream, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    stream.close();
    throw error;
  }
}

const RESET = "stream.reset";

function resetAt({ clock }: Service, { subscription }: { readonly subscription: { readonly position: number } }) {
  return { seq: subscription.position, type: RESET, time: wireTime(clock.now()) } satisfies LiveEvent;
}

/** The plain fallback: answers as soon as there is something, or with nothing when the time is over. */
export async function pollEvents(
  service: Service,
  by: Principal,
  request: Incoming,
  { after, wait }: { readonly after: number | undefined; readonly wait: number },
): Promise<LiveEvents> {
  const { live, clock } = service;
  const events: LiveEvent[] = [];
  let done: () => void = () => undefined;
  const enough = new Promise<void>((resolve) => {
    done = resolve;
  });
  const joined = await live.join(by, lookUpOf(service, by, request), after, {
    told: (happenings) => {
      events.push(...happenings.map(({ event }) => event));
      done();
    },
    ended: done,
  });
  const cancel = clock.timer(wait * 1_000, done, true);
  request.signal.addEventListener("abort", done, { once: true });
  try {
    if (joined.reset) return { events: [resetAt(service, joined)], next: joined.subscription.position };
    await joined.subscription.pump();
    // Without a place to start from there is nothing to wait for: the answer says where the end is.
    if (events.length === 0 && after !== undefined && wait > 0) await enough;
    return { events, next: events.at(-1)?.seq ?? joined.subscription.position };
  } finally {
    cancel();
    joined.leave();
  }
}

/** How one call stands, told anew with every change, until it has ended. */
export async function streamCall(
  service: Service,
  by: Principal,
  request: Incoming,
  { approvalId, caller }: { readonly approvalId: string; readonly caller: Caller },
): Promise<Response> {
  const { live, gate, clock } = service;
  const watched = new Set([approvalId]);
  let joined: Joined | undefined;
  const stream = openEventStream(
    clock,
    () => undefined,
    () => joined?.leave(),
  );
  /** One look at a time: each look at an approved call mints its token anew, and the one before it is void. */
  const look = async () => {
    const outcome = await gate.resume(approvalId, caller, { deadline: 0 });
    if (outcome.approvalId !== undefined) watched.add(outcome.approvalId);
    stream.send(outcome);
    if (outcome.type !== "pending") stream.close();
  };
  let looking: Promise<void> = Promise.resolve();
  // Listening begins before the first look, so that nothing happens between the two.
  const joining = live.join(by, lookUpOf(service, by, request), undefined, {
    told(happenings) {
      if (!happenings.some(({ event }) => event.approvalId !== undefined && watched.has(event.approvalId))) return;
      looking = looking.then(look);
      return looking;
    },
    ended: () => stream.close(),
  });
  joined = await orClose(stream, joining);
  request.signal.addEventListener("abort", () => stream.close(), { once: true });
  looking = look();
  // Whoever is not its caller is refused before anything is streamed.
  await orClose(stream, looking);
  return stream.response;
}
