import type { Person } from "../approval.js";
import { newEntry } from "../audit.js";
import type { Caller } from "../call.js";
import type { Signal } from "../classify.js";
import type { Engine } from "../engine.js";
import { CountersignError } from "../errors.js";
import { parseUrl } from "../parse-url.js";
import { type Soon, whenThere } from "../soon.js";
import { memberOf } from "../vouch.js";
import { counterKey } from "./budgets.js";
import { commitStanding, settingUnder } from "./standing.js";

/** Where a session works. A kind that is left out is not limited; an empty list allows nothing of it. */
export interface Scope {
  /** Absolute folders or files. */
  readonly paths?: readonly string[];
  /** `example.com`, or `*.example.com` for every name below it. */
  readonly domains?: readonly string[];
}

const MAX_ITEMS = 1_000;

/** Agents name their sessions as they like, so that a name alone is not one person's. */
function scopeId(workspaceId: string, userId: string, sessionId: string): string {
  return counterKey("scope", workspaceId, userId, sessionId);
}

/** A person's word first, then the host's (its key's), then the default. Nothing an agent's call says is asked. */
export function scopeOf(engine: Engine, caller: Caller, head: object): Soon<Scope | undefined> {
  const { workspaceId, userId, sessionId } = caller;
  const setting = settingUnder(engine, workspaceId, head, scopeId(workspaceId, userId, sessionId));
  return whenThere(setting, (record) => {
    if (record !== undefined) return (JSON.parse(record.value) as { scope: Scope }).scope;
    return caller.scope ?? (typeof engine.scope === "function" ? engine.scope(caller) : engine.scope);
  });
}

/**
 * Sets where a session works: one's own, or as an owner another member's. It can widen what runs unasked, so it counts as a
 * weakening, and as a tightening too.
 */
export async function setScope(
  engine: Engine,
  sessionId: string,
  scope: Scope,
  person: Person,
  ofUser: string,
): Promise<void> {
  const who = await memberOf(engine, person);
  const { workspaceId } = who;
  if (ofUser !== who.userId) await checkOverseen(engine, who, ofUser);
  if (typeof sessionId !== "string" || sessionId === "")
    throw new CountersignError("invalid_call", "A scope is set for one session; name it.");
  const { paths, domains } = checkScope(scope);
  await engine.weaken?.(person, "scope.set");
  const id = scopeId(workspaceId, ofUser, sessionId);
  for (;;) {
    const version = (await engine.store.get("setting", id))?.version ?? 0;
    const told = {
      ...(paths === undefined ? {} : { paths: [...paths] }),
      ...(domains === undefined ? {} : { domains: [...domains] }),
    };
    const applied = await commitStanding(engine, {
      workspaceId,
      puts: [{ kind: "setting", id, version, value: JSON.stringify({ workspaceId, sessionId, scope: told }) }],
      entries: [
        newEntry("scope.set", "", { by: who.userId, user: ofUser, session: sessionId, weakening: true, ...told }),
      ],
      tighten: true,
    });
    if (applied.ok) return;
    if (applied.refused !== "version")
      throw new CountersignError("store_failed", `The scope was not set: ${applied.refused}.`);
  }
}

/** Where nobody knows the members, the host vouches that the person owns the workspace. */
async function checkOverseen(engine: Engine, { workspaceId, roles = [] }: Person, userId: string): Promise<void> {
  if (!roles.includes("owner"))
    throw new CountersignError("not_permitted", "Where another person's sessions work is the owner's word.");
  if (engine.people !== undefined && (await engine.people.member(workspaceId, userId)) === undefined)
    throw new CountersignError("not_found", "Nobody of this id belongs to the workspace.");
}

function checkScope(scope: Scope): Scope {
  const wrong = (text: string) => new CountersignError("invalid_call", text);
  if (scope === null || typeof scope !== "object") throw wrong("A scope is { paths, domains }.");
  const unknown = Object.keys(scope).find((key) => key !== "paths" && key !== "domains");
  if (unknown !== undefined) throw wrong(`A scope has no field "${unknown}".`);
  for (const list of [scope.paths ?? [], scope.domains ?? []])
    if (!Array.isArray(list) || list.length > MAX_ITEMS || !list.every((item) => typeof item === "string"))
      throw wrong("A scope's paths and domains are lists of texts.");
  if (scope.paths?.some((path) => segmentsOf(path) === undefined))
    throw wrong("A scope's paths are absolute and plain: no dots, no doubled slashes.");
  if (scope.domains?.some((domain) => !DOMAIN.test(domain)))
    throw wrong('A scope\'s domains are hosts: "example.com" or "*.example.com".');
  return scope;
}

const DOMAIN = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** What the tool's own preview names and the scope does not hold. Analysers look at the arguments, links and all. */
export function driftSignals(targets: readonly string[], scope: Scope | undefined): Signal[] {
  if (scope === undefined) return [];
  return targets.flatMap((target) => {
    const outside = outsideOf(target, scope);
    if (outside === undefined) return [];
    const text = `The call would touch ${outside}, outside of what this session works on.`;
    const fragment = typeof target === "string" ? { fragment: target.slice(0, 400) } : {};
    return [{ source: "scope", code: "target_outside", riskTier: "R3", text, ...fragment }];
  });
}

/** The words for what lies outside; undefined for what is inside, or is neither a path nor an address. */
function outsideOf(target: string, { paths, domains }: Scope): string | undefined {
  if (typeof target !== "string") return "something that has no name";
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    const host = parseUrl(target)?.hostname ?? "";
    return domains === undefined || domains.some((domain) => hostMatches(host, domain))
      ? undefined
      : `the host ${host || "of this address"}`;
  }
  if (!/[/\\]/.test(target) || paths === undefined) return undefined;
  const own = segmentsOf(target);
  const inside = own !== undefined && paths.some((path) => isUnder(own, segmentsOf(path) ?? [NOWHERE]));
  return inside ? undefined : "a path";
}

const NOWHERE = "\0";

/** Names below a folder; undefined for anything that different readers would resolve differently. */
export function segmentsOf(path: string): string[] | undefined {
  if (typeof path !== "string" || !path.startsWith("/") || /[\\\p{Cc}]/u.test(path)) return undefined;
  const names = path.replace(/\/$/, "").split("/").slice(1);
  return names.some((name) => name === "" || name === "." || name === "..") ? undefined : names;
}

export function isUnder(own: readonly string[], root: readonly string[]): boolean {
  return root.every((name, index) => own[index] === name);
}

/** A host, or `*.host` for every name below it but not itself. */
export function hostMatches(host: string, pattern: string): boolean {
  if (host === "") return false;
  return pattern.startsWith("*.")
    ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
    : host === pattern;
}
