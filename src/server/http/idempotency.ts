import { CountersignError } from "../../core/errors.js";
import { sha256, sha256Hex } from "../../core/ids.js";
import { canonicalize, type Json } from "../../core/json.js";
import { createKeyRing } from "../../proof/index.js";
import type { Service } from "../service.js";
import { type Incoming, pathOf } from "./incoming.js";
import { isResponse } from "./respond.js";
import type { Answer, AnyRoute, By } from "./route.js";

const KEPT_FOR = 24 * 3_600_000;
/** For how long a repetition waits for the answer to the first. */
const UNDER_WAY = 10_000;
const LOOK_EVERY = 100;
const FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * A write that is sent again with its `Idempotency-Key` is answered as the first time and does nothing. The key belongs to who
 * sent it, to its route and to its content; with other content it is refused. Calls have the engine's own, stronger keys.
 */
export async function once(
  { identity, clock }: Service,
  route: AnyRoute,
  { by, request }: { readonly by: By; readonly request: Incoming },
  body: Json | undefined,
  handle: () => Promise<Answer>,
): Promise<Answer> {
  const key = request.header("idempotency-key");
  const subject = subjectOf(by);
  if (key === undefined || route.method === "get" || subject === undefined || route.path === "/v1/calls")
    return handle();
  if (!FORM.test(key)) {
    throw new CountersignError("invalid_request", "An Idempotency-Key is 1 to 255 printable characters.", {
      path: "idempotency-key",
    });
  }
  const sentBy = canonicalize([subject, route.method, route.path, key]);
  const id = sha256Hex(sentBy);
  const place = ["repeat", id];
  // An answer may hold a call's arguments. Whoever sends again brings the key along; whoever has the database does not have it.
  const ring = createKeyRing(sha256(`countersign.repeat.v1 ${sentBy}`).toString("base64"));
  const content = sha256Hex(canonicalize([key, pathOf(request), body ?? null]));
  for (let waited = 0; ; waited += LOOK_EVERY) {
    const first = await identity.repeats.begin(id, content, clock.now() + KEPT_FOR);
    if (first.type === "new") {
      const answer = await attempt(identity, id, handle);
      const kept = !isResponse(answer) && route.secret !== true;
      if (kept) await identity.repeats.keep(id, ring.seal(JSON.stringify(answer), place));
      return answer;
    }
    if (first.content !== content) {
      throw new CountersignError("idempotency_conflict", "This Idempotency-Key was used for another request.");
    }
    if (first.answer !== null) return JSON.parse(ring.open(first.answer, place)) as Answer;
    // Whoever lost the line sends again while the first one is still under way, and wants that one's answer.
    if (route.secret === true || waited >= UNDER_WAY) break;
    await new Promise<void>((resolve) => clock.timer(LOOK_EVERY, resolve, true));
  }
  throw new CountersignError(
    "idempotency_conflict",
    "This was received before. It is still under way, or its answer was shown once and is not kept.",
  );
}

/** A refusal has done nothing, so that the key is free again. */
async function attempt(identity: Service["identity"], id: string, handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle();
  } catch (error) {
    await identity.repeats.forget(id);
    throw error;
  }
}

function subjectOf(by: By): string | undefined {
  if (by === undefined) return undefined;
  // A call bound to a device is handed to that device alone, also the second time.
  if ("agentId" in by) return `agent/${by.agentId}${by.deviceId === undefined ? "" : `/${by.deviceId}`}`;
  return `person/${by.userId}/${"workspaceId" in by ? by.workspaceId : ""}`;
}
