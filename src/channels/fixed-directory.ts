import { checkAudience, type Person } from "../core/approval.js";
import { atLeast, type RiskTier } from "../core/risk.js";
import type { Account, Chat } from "./channel.js";
import type { Directory } from "./directory.js";

/** Somebody known beforehand, with accounts that the host vouches for. */
export interface KnownPerson {
  readonly userId: string;
  readonly workspaceId: string;
  readonly name?: string;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly accounts: readonly { readonly account: Account; readonly chat: Chat }[];
}

/** A directory for a gate without a server: these people and nobody else. Accounts cannot be linked here. */
export function fixedDirectory(people: readonly KnownPerson[], upTo: RiskTier = "R4"): Directory {
  const owner = (account: Account, workspaceId?: string) =>
    people.find(
      (person) =>
        (workspaceId === undefined || person.workspaceId === workspaceId) &&
        person.accounts.some((each) => isSame(each.account, account)),
    );
  return {
    reach: async (approval) =>
      people
        .filter((known) => checkAudience(approval, asPerson(known)) === undefined)
        .flatMap(({ userId, accounts }) => accounts.map((each) => ({ userId, ...each }))),
    async person(account, workspaceId) {
      const known = owner(account, workspaceId);
      return known && asPerson(known);
    },
    async speaker(account) {
      const known = owner(account);
      return known && { userId: known.userId, workspaceId: known.workspaceId };
    },
    link: async () => undefined,
    mayApproveOn: async (_, riskTier) => atLeast(upTo, riskTier),
    name: async (_, userId) => people.find((person) => person.userId === userId)?.name ?? userId,
  };
}

function asPerson({ userId, workspaceId, roles = [], groups = [] }: KnownPerson): Person {
  return { kind: "person", userId, workspaceId, roles, groups, assurance: "channel" };
}

function isSame(a: Account, b: Account): boolean {
  return a.channel === b.channel && a.tenant === b.tenant && a.id === b.id;
}
