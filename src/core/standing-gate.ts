import { answer } from "./answer.js";
import type { Approval, Person } from "./approval.js";
import type { Engine } from "./engine.js";
import { HostedGate } from "./hosted-gate.js";
import { type SettingsPatch, settingsOf, updateSettings } from "./judging/change-settings.js";
import { liftDenial } from "./judging/denials.js";
import { type GrantPreview, type GrantView, grantsFor, previewGrant, revokeGrant } from "./judging/granting.js";
import type { DecisionScope } from "./judging/grants.js";
import { type Scope, setScope } from "./judging/scope.js";
import type { Settings } from "./judging/settings.js";
import { type GrantSuggestion, suggestGrants } from "./judging/suggest-grants.js";
import type { Outcome } from "./outcome.js";
import type { Locale } from "./tool.js";
import { release, withheldFor } from "./withhold.js";

/** The side of a gate on which people say what runs without asking, and what does not. No call passes here. */
export class StandingGate extends HostedGate {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    super(engine);
    this.#engine = engine;
  }

  /** Says what a yes of this scope would cover beyond this call, before it is given. Throws when it cannot be given. */
  describeGrant(approvalId: string, scope: DecisionScope, person: Person, locale?: Locale): Promise<GrantPreview> {
    return previewGrant(this.#engine, approvalId, scope, person, locale);
  }

  /** At most three grants that fit this very call, narrowest first, each with what it would have spared so far. */
  suggestGrants(approvalId: string, person: Person, locale?: Locale): Promise<GrantSuggestion[]> {
    return suggestGrants(this.#engine, approvalId, person, locale);
  }

  /** The standing grants that concern this person, with how often each was used. */
  grants(person: Person, locale?: Locale): Promise<GrantView[]> {
    return grantsFor(this.#engine, person, locale);
  }

  /** Ends a grant at once, also for calls that were let through by it and have not been claimed. */
  revokeGrant(grantId: string, person: Person): Promise<void> {
    return revokeGrant(this.#engine, grantId, person);
  }

  /** A person's own settings. */
  settings(person: Person): Promise<Settings> {
    return settingsOf(this.#engine, person);
  }

  /** Changes a person's own settings. Never answers what is already pending. */
  updateSettings(patch: SettingsPatch, person: Person): Promise<Settings> {
    return updateSettings(this.#engine, patch, person);
  }

  /** Sets the paths and domains a person's session works on; calls that leave them ask. Another member's is an owner's to set. */
  setScope(sessionId: string, scope: Scope, person: Person, userId = person.userId): Promise<void> {
    return setScope(this.#engine, sessionId, scope, person, userId);
  }

  /** Lets a denied call be asked again before its cool-down is over. */
  liftDenial(approvalId: string, person: Person): Promise<void> {
    return liftDenial(this.#engine, approvalId, person);
  }

  /** Calls whose result was larger than they had said, and which wait for this person's release. */
  withheld(person: Person): Promise<Approval[]> {
    return withheldFor(this.#engine, person);
  }

  /** Hands a withheld result over to whoever called. */
  async release(approvalId: string, person: Person): Promise<Outcome> {
    return answer(this.#engine, await release(this.#engine, approvalId, person));
  }
}
