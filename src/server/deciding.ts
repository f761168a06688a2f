import type { Person } from "../core/approval.js";
import type { Decision } from "../core/decide.js";
import type { Decided } from "../core/deciding.js";
import { CountersignError, toCountersignError } from "../core/errors.js";
import type { JsonObject } from "../core/json.js";
import type { RiskTier } from "../core/risk.js";
import { wordsIn } from "../core/words/words.js";
import { type Assertion, decidesUpTo, type PersonPrincipal, personOf } from "./identity/index.js";
import type { Service } from "./service.js";

/** An answer from the wire. It always names what was shown; a passkey's assertion makes it proof. */
export interface Answered extends Omit<Decision, "confirmationToken" | "approvalId" | "toolCallHash"> {
  readonly approvalId: string;
  readonly toolCallHash: string;
  readonly assertion?: Assertion;
}

/**
 * One person's answer, from whatever surface of the server. A no needs nothing. A yes from a terminal reaches up to R2, because
 * a program can drive a terminal; the highest tier needs the person's passkey over this very call as soon as they have one.
 */
export async function decideAs(service: Service, principal: PersonPrincipal, answered: Answered): Promise<Decided> {
  const { assertion, ...decision } = answered;
  const person = personOf(principal);
  const proven =
    assertion === undefined
      ? person
      : await proveWith(service, principal, await willRun(service, answered, person), assertion);
  if (decision.decision === "deny") return service.gate.decide(decision, proven);
  const reach = await reachOf(service, principal, proven);
  return service.gate.decide(decision, reach === undefined ? proven : { reach, ...proven });
}

/**
 * Several answers at once, each with its own result: one that is refused harms no other. Each is held to what it would be held
 * to alone, and among several nobody says yes to the highest risk, also not by an edit that leads there.
 */
export async function decideAllAs(
  service: Service,
  principal: PersonPrincipal,
  answers: readonly Answered[],
): Promise<readonly (Decided | CountersignError)[]> {
  return Promise.all(
    answers.map(async (answered) => {
      try {
        if (answers.length > 1 && answered.decision === "approve") {
          const { riskTier } = await willRun(service, answered, personOf(principal));
          if (riskTier === "R4") {
            throw new CountersignError("invalid_decision", "Calls of the highest risk are approved one at a time.");
          }
        }
        return await decideAs(service, principal, answered);
      } catch (error) {
        return toCountersignError(error);
      }
    }),
  );
}

/** What an answer is given to: the call that was shown, or with other arguments the one that the edit makes. */
interface WillRun extends Pick<Answered, "approvalId" | "toolCallHash" | "decision"> {
  readonly riskTier: RiskTier;
}

async function willRun(
  { gate }: Service,
  { approvalId, args, toolCallHash, decision }: Answered,
  person: Person,
): Promise<WillRun> {
  const approval = await gate.approval(approvalId, person);
  if (args === undefined) return { approvalId, decision, toolCallHash, riskTier: approval.riskTier };
  const draft = await gate.draft(approvalId, args, person);
  if (draft === undefined) throw new CountersignError("not_found", "What was asked is not kept any more.");
  return { approvalId, decision, toolCallHash: draft.toolCallHash, riskTier: draft.riskTier };
}

async function proveWith(
  { identity }: Service,
  principal: PersonPrincipal,
  { approvalId, toolCallHash, decision }: WillRun,
  assertion: Assertion,
): Promise<Person> {
  const { person, evidence } = await identity.stepUp.finish(
    principal,
    { approvalId, toolCallHash, decision },
    assertion,
  );
  return { ...person, proof: evidence as unknown as JsonObject };
}

/** How far a yes reaches from here; without a limit, to every tier. The gate holds the answer to it, also after an edit. */
async function reachOf(
  { identity }: Service,
  principal: PersonPrincipal,
  { assurance }: Person,
): Promise<Person["reach"]> {
  const upTo = decidesUpTo(principal);
  if (upTo !== "R4") {
    const most = wordsIn("en").risk[upTo];
    return { upTo, otherwise: `A terminal says yes up to “${most}”. Open this one in the browser.` };
  }
  if (assurance === "passkey_over_hash" || !(await identity.stepUp.isEnrolled(principal.userId))) return undefined;
  return { upTo: "R3", otherwise: "A yes to this needs your passkey over exactly this call." };
}
