import type { Approval, Person } from "../core/approval.js";
import type { RiskTier } from "../core/risk.js";
import type { Account, ChannelName, Chat } from "./channel.js";

/** A verified account of a person, and the private chat in which it was verified. */
export interface LinkedAccount {
  readonly userId: string;
  readonly account: Account;
  readonly chat: Chat;
}

/** Who is behind an account. Whatever a platform says about names and addresses counts for nothing here. */
export interface Directory {
  /** The private chats of those who may answer; each person's accounts in the order in which they are tried. */
  reach(approval: Approval): Promise<readonly LinkedAccount[]>;
  /** The person whom a verified account stands for in a workspace, as sure as a channel can be. */
  person(account: Account, workspaceId: string): Promise<Person | undefined>;
  /** Who an account speaks for when it starts something: the person, in the workspace they linked it in. */
  speaker(account: Account): Promise<{ readonly userId: string; readonly workspaceId: string } | undefined>;
  /** Spends a code that a signed-in person was given, and connects the account that says it. Gives their name. */
  link(code: string, account: Account, chat: Chat): Promise<string | undefined>;
  /** Whether a yes to this tier may be given on this channel at all, and by this person where one is named. */
  mayApproveOn(channel: ChannelName, riskTier: RiskTier, userId?: string): Promise<boolean>;
  /** What people call somebody. */
  name(workspaceId: string, userId: string): Promise<string>;
}
