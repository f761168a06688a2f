/**
 * The words that tool names are read by. Missing words are harmless: a name without a known verb is unknown, which callers
 * treat as a write. A word belongs to a reading list only if it cannot mean a change.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Only ever verbs: what follows is what they look at. */
export const LOOKING_VERBS = words("get fetch find describe retrieve lookup summarize summarise explain inspect");

/** Verbs or nouns: `list_files` looks, in `list_share` the list is shared. */
export const LISTING_VERBS = words("list search read show view check count preview browse");

/** Nouns that ask for themselves when they end a name: `sync.status`. */
export const READABLE_NOUNS = words("status transcript summary history stats info schema version");

/** Destroys, or may: R4. */
export const DESTROYING_VERBS = words(`
  delete del drop purge destroy wipe erase truncate remove rm rmdir clear reset format kill terminate uninstall unlink
  shred nuke overwrite discard flush prune empty trash expunge decommission deprovision`);

/** Leaves the system, spends, publishes, changes rights or runs what it is given: R3. */
export const REACHING_VERBS = words(`
  send resend pay publish unpublish deploy share unshare transfer invite buy order purchase checkout post repost email
  charge refund grant revoke exec execute run eval evaluate shell bash spawn invoke call dial forward reply notify tweet
  broadcast announce release submit sign approve authorize impersonate sell trade bid withdraw wire donate tip book reserve
  ship launch dispatch push promote demote chmod chown sudo`);

/** Changes something, in ways the word alone does not tell. */
export const CHANGING_VERBS = words(`
  create add insert update upsert set unset put patch write save edit modify change append prepend replace rename move copy
  duplicate clone upload import store merge mark unmark archive unarchive restore assign unassign complete uncomplete finish
  close reopen start stop restart pause resume enable disable activate deactivate toggle lock unlock pin unpin star
  unstar like unlike follow unfollow block unblock mute unmute accept decline reject deny join leave schedule reschedule
  cancel apply configure register unregister connect disconnect link attach detach tag untag label reorder sync commit
  rebase stash setup make build install upgrade downgrade migrate increment decrement rate vote snooze dismiss track
  subscribe unsubscribe draft rotate mount unmount mkdir touch swap split fill click press undo redo revert rollback bump
  shuffle hide unhide flag comment record adjust allocate ban unban kick suspend provision sort`);

/** Writing verbs that are as often nouns or adjectives: `get_update` looks at one. */
export const ALSO_NOUNS = words(`
  set change update copy clone move link tag label schedule like vote rate star pin flag lock block build patch
  upload import archive share transfer charge refund invite run format reset release deploy purchase call push trade bid reply
  empty complete close trash shell bash tip register start stop split merge book stash touch track mark wire checkout sort mute store
  email post order comment record commit draft`);

/** Of those, what one lists or searches rather than does to a list: `search_email`. */
export const THINGS = words("email post order comment record commit draft");

/** Make the verb before them an attribute: `get_send_status` sends nothing. */
export const ATTRIBUTED_NOUNS = words(`
  status state result results request requests permission permissions policy policies options preview quota limits`);

/** What was done to things; before a preposition they only say which things are meant. */
export const PARTICIPLES = words(
  "added archived assigned changed created deleted edited modified moved owned received removed sent shared signed updated",
);
export const PREPOSITIONS = words("after at before by from in since with");

export const CONJUNCTIONS = words("and or then");
export const PARTICLES = words("in out off");

/**
 * May stand before a reading verb: `web_search`, `file_list`. Any other word there could be a verb we do not know, and its
 * list or view the thing it changes: `shuffle_list`.
 */
export const LEADING_NOUNS = words(`
  account accounts agent api app assistant batch bulk calendar channel channels chat chats code contact contacts data
  database db directory dir doc docs document documents drive event events file files folder folders git github gitlab gmail
  google group groups image images item items issue issues jira knowledge linear mail meeting memory message messages notes
  notion outlook page pages people photo photos product products project projects repo repository resource resources
  sheet slack tab table tables task tasks team thread threads todo todos tool tools url user users weather web wiki
  workspace`);
