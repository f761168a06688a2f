import { type Approval, type Audience, strongerAssurance } from "./approval.js";
import type { Engine } from "./engine.js";
import { type Asked, audienceOf } from "./hold.js";
import { canonicalize, type JsonObject } from "./json.js";
import { named, namesSomebody } from "./requirement.js";

/**
 * Who answers an edited question. Those who were asked still are, unless a rule or the host names others for the new arguments.
 * Whatever else was required stays required: an edit may ask for more, never for less.
 */
export function editedAudience(
  { audience: hostsWord }: Pick<Engine, "audience">,
  { audience: held }: Pick<Approval, "audience">,
  { call, caller, verdict: { requirement = {} } }: Asked,
  before: JsonObject,
): Audience {
  const host = hostsWord?.(call, caller) ?? {};
  const hostBefore = hostsWord?.({ ...call, args: before }, caller) ?? {};
  const hostMoved = canonicalize(named(host)) !== canonicalize(named(hostBefore));
  const asksOthers = namesSomebody(requirement) || hostMoved;
  const wanted = audienceOf(caller, [host, requirement]);
  const assurance = strongerAssurance(held.assurance ?? "host", wanted.assurance ?? "host");
  return {
    ...(asksOthers ? wanted : held),
    quorum: Math.max(held.quorum, wanted.quorum),
    notRequester: held.notRequester || wanted.notRequester,
    ...(assurance === "host" ? {} : { assurance }),
  };
}
