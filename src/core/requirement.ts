import { strongerAssurance } from "./approval.js";
import type { Requirement } from "./judge.js";

/**
 * Two requirements at once: nothing that one of them asks for is lost. The larger quorum, the shorter time, the stronger proof, the requester
 * barred as soon as one bars them, and only approvers whom both name. When no name is in both, nobody is left, and a call that
 * nobody may answer is refused.
 */
export function bothRequired(a: Requirement, b: Requirement): Requirement {
  const ttl = Math.min(a.ttl ?? Number.POSITIVE_INFINITY, b.ttl ?? Number.POSITIVE_INFINITY);
  const quorum = Math.max(a.quorum ?? 1, b.quorum ?? 1);
  const assurance = strongerAssurance(a.assurance ?? "host", b.assurance ?? "host");
  return {
    // Not "more than one": a number that is none has to stay one that nobody reaches.
    ...(quorum === 1 ? {} : { quorum }),
    ...bothAudiences(a, b),
    ...(a.notRequester || b.notRequester ? { notRequester: true } : {}),
    ...(Number.isFinite(ttl) ? { ttl } : {}),
    ...(assurance === "host" ? {} : { assurance }),
  };
}

type Named = Pick<Requirement, "roles" | "groups" | "persons">;

function bothAudiences(a: Requirement, b: Requirement): Named {
  if (!namesSomebody(a)) return namesSomebody(b) ? named(b) : {};
  if (!namesSomebody(b)) return named(a);
  const shared = (key: keyof Named) => (a[key] ?? []).filter((name) => b[key]?.includes(name));
  return { roles: shared("roles"), groups: shared("groups"), persons: shared("persons") };
}

/** An empty list names too: nobody. */
export function namesSomebody({ roles, groups, persons }: Requirement): boolean {
  return roles !== undefined || groups !== undefined || persons !== undefined;
}

/** The part of a requirement that says who. */
export function named({ roles, groups, persons }: Requirement): Named {
  return {
    ...(roles === undefined ? {} : { roles }),
    ...(groups === undefined ? {} : { groups }),
    ...(persons === undefined ? {} : { persons }),
  };
}
