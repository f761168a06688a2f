export const product = "Countersign";

export const risk = {
  R0: "Looks only",
  R1: "Can be undone",
  R2: "Sensitive",
  R3: "Leaves this place",
  R4: "Cannot be undone",
} as const;

export const common = {
  close: "Close",
  back: "Back",
  cancel: "Cancel",
  save: "Save",
  remove: "Remove",
  copy: "Copy",
  copied: "Copied",
  loading: "Loading…",
  retry: "Try again",
  failed: "That did not work.",
  offline: "Offline. Answers cannot be sent from here.",
  more: "Show more",
  optional: "optional",
  skip: "Skip to the content",
  notFound: "There is nothing at this address.",
  toInbox: "Go to the inbox",
  unreachable: "The server does not answer. Whatever waits is kept until it does.",
  never: "never",
  navigation: "Main",
  error: (detail: string) => `That did not work: ${detail}`,
} as const;

export const nav = {
  inbox: "Inbox",
  chat: "Chat",
  history: "History",
  settings: "Settings",
  waiting: (n: number) => `${n} waiting`,
} as const;

export const standing = {
  live: "Live",
  reconnecting: "Reconnecting…",
  offline: "Offline",
  chainHolds: (entries: string) => `Audit chain verified: ${entries} entries`,
  chainBroken: (entry: string) => `Audit chain broken at entry ${entry}`,
  verifyAgain: "Verify it again",
  durable: "Killing the server loses nothing.",
  passing: "Kept in memory: gone when the server stops.",
} as const;

export const demo = {
  title: "Demo with invented data",
  remove: "Remove the demo",
  removed: "The demo and its data are gone.",
  earlier: (n: number) => (n === 1 ? "1 earlier line" : `${n} earlier lines`),
} as const;

export const problems = {
  already_resolved: (person: string) => `${person} was first. Your answer changed nothing.`,
  expired: "Too late. Nothing ran.",
  hash_mismatch: "It has changed since you looked. Look again.",
  step_up_required: "This needs your passkey. Add one in Settings.",
  passkey_refused: "The passkey was not accepted. Nothing was decided.",
  self_approval: "Somebody else has to approve this.",
  not_permitted: "Your role does not allow this.",
  rate_limited: "Too many at once. Wait a moment.",
  paused: "Everything is paused.",
  somebody: "Somebody",
} as const;
