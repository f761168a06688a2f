import type { ChannelName } from "../../channels/channel.js";
import type { Directory } from "../../channels/directory.js";
import { checkAudience, type Person } from "../../core/approval.js";
import type { People } from "../../core/ports.js";
import type { RiskTier } from "../../core/risk.js";
import type { Policy } from "../../policy/index.js";
import { type Identity, identityPeople } from "../identity/index.js";

export interface DirectoryOptions {
  readonly identity: Identity;
  /** The order in which a person's accounts are tried. */
  readonly channels: readonly ChannelName[];
  readonly policy?: () => Policy;
}

/** The server's people as channels know them: by accounts that were connected, with the rights they have at this moment. */
export function serverDirectory({ identity, channels, policy }: DirectoryOptions): Directory {
  const people: People = identityPeople(identity);
  const personIn = async (workspaceId: string, userId: string): Promise<Person | undefined> => {
    const member = await people.member(workspaceId, userId);
    return member && { kind: "person", userId, workspaceId, ...member, assurance: "channel" };
  };
  const nameOf = async (workspaceId: string, userId: string) =>
    (await identity.names.nameOf(workspaceId, userId)) ?? userId;
  return {
    async reach(approval) {
      const linked = await identity.accounts.inWorkspace(approval.workspaceId);
      const persons = new Map<string, boolean>();
      for (const { userId } of linked) {
        if (persons.has(userId)) continue;
        const person = await personIn(approval.workspaceId, userId);
        persons.set(userId, person !== undefined && checkAudience(approval, person) === undefined);
      }
      return linked
        .filter(({ userId }) => persons.get(userId) === true)
        .sort((a, b) => channels.indexOf(a.account.channel) - channels.indexOf(b.account.channel));
    },
    async person(account, workspaceId) {
      const owner = await identity.accounts.owner(account, workspaceId);
      return owner && personIn(owner.workspaceId, owner.userId);
    },
    async speaker(account) {
      const owner = await identity.accounts.owner(account);
      // Somebody who was removed since speaks for nobody.
      return owner && (await personIn(owner.workspaceId, owner.userId)) && owner;
    },
    async link(code, account, chat) {
      const linked = await identity.accounts.redeem(code, account, chat);
      return linked && nameOf(linked.workspaceId, linked.userId);
    },
    async mayApproveOn(channel, riskTier, userId) {
      if (!permits(policy?.(), channel, riskTier)) return false;
      // The highest tier needs the person's passkey over this very call as soon as they have one.
      return riskTier !== "R4" || userId === undefined || !(await identity.stepUp.isEnrolled(userId));
    },
    name: nameOf,
  };
}

/** What the policy lets a channel decide; one that it does not name may decide everything that a channel can. */
function permits(policy: Policy | undefined, channel: ChannelName, riskTier: RiskTier): boolean {
  const tiers = policy?.channels[channel];
  return tiers === undefined || tiers.includes(riskTier);
}
