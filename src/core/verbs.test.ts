import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as lists from "./verb-words.js";
import { readVerb } from "./verbs.js";

/** Names by what they must be read as, verb by verb: the verb that decides stands in front. */
const READS: Record<string, string> = {
  created: "files.createdBy tasks.created_since",
  shared: "drive.sharedWith",
  sent: "mail.sent_before",
  list: "list settings.list files.list listFiles list_files listDeleted list_deleted_users calendar.listEvents todo-list github_list_issues mcp__slack__slack_list_channels list_open_issues list_files_and_folders listCreated tool-list list_emails list_post",
  get: "get posts.get HTTPGet getUpdates getSendStatus get_send_status getUser get_order users.get drive.files.get mail.getThread get_open_orders getDeletePolicy get_and_check getEmail gizmo_get GET_USER get2 blog.post.get api/get_user orders:get getLastRun get_created_at",
  read: "Read readReceipts read_file mcp__fs__read_file file_read read_email readDraft",
  search:
    "mail.search web_search WebSearch search_email mcp__brave__brave_web_search code-search memory_search searchPosts",
  find: "find findUser find_by_id findOrders",
  fetch: "web_fetch WebFetch fetch_url feeds.fetch",
  show: "show git_show showStatus",
  describe: "describe_table db.describeTable",
  count: "tasks.count count_rows",
  view: "view view_image",
  check: "check_availability calendar.checkConflicts check_order_status",
  lookup: "contacts.lookup lookup",
  preview: "preview_changes docs.preview",
  summarize: "summarize_thread notes.summarize",
  status: "sync.status git_status mcp__git__git_status",
  transcript: "meeting.transcript meeting_transcript",
  history: "chat_history",
};

/** Writes without a tier of their own. */
const WRITES: Record<string, string> = {
  create:
    "tasks.create createTask create_user user-create create_order get_or_create_user findOrCreate listAndCreate create_post mcp__gh__create_issue",
  add: "addItems lists.addItems list_add_item shopping_list_add",
  save: "savePlan plans.savePlan save_search",
  update: "batchUpdate events.batchUpdate bulk_update status_update update",
  set: "prefs.set set_status status_set getAndSet set",
  write: "Write mcp__fs__write_file fs.write write_file readWriteFile TodoWrite",
  replace: "find_replace search_replace_text",
  edit: "NotebookEdit edit_file",
  mark: "mark_as_read mail.markRead mark_read",
  move: "files.move move_file",
  rename: "rename_folder",
  toggle: "toggle_status list_toggle",
  shuffle: "shuffle_list",
  upsert: "rows.upsert",
  cancel: "subscriptions.cancel cancel_order",
  archive: "list_archive archive_project",
};

const REACHES: Record<string, string> = {
  send: "send mail.send sendEmail send_message check_and_send create_and_send_invoice mcp__mail__send send_status",
  pay: "pay bills.pay pay_invoice",
  publish: "site.publish publishPost",
  deploy: "deploy app.deploy deploy_service",
  share: "share share_list list_share get_and_share docs.share note-share",
  transfer: "bank.transfer transfer_funds",
  invite: "invite_user team.invite",
  buy: "buy buyTicket",
  order: "order order_pizza shop.order",
  post: "blog.post post_status HTTPPost post_message status_post",
  email: "email_report listAndEmail summary_email transcript_email",
  charge: "charge_card",
  refund: "refund_payment payments.refund",
  grant: "grant_access iam.grantRole",
  revoke: "keys.revoke revoke_token",
  execute: "execute_query execute_sql",
  exec: "exec shell.exec",
  run: "run run_query query_run run_command check_run",
  eval: "eval js.eval",
  bash: "Bash bash",
  push: "git_push",
};

const DESTROYS: Record<string, string> = {
  delete:
    "delete deleteFile delete_file todo-delete-batch get_and_delete_user list-delete drive.files.delete files.delete.all DELETE_ROW deleteUserV2 post_delete mcp__a__get__delete_file mcp__delete updateAndDelete search_delete_rows list_delete_requests getDelete",
  remove: "items.remove lists.removeItem removeItem remove add_remove_items",
  drop: "drop db.dropTable drop_table",
  purge: "cache.purge purge_queue",
  destroy: "vm.destroy destroyAll",
  wipe: "wipe_disk device.wipe",
  erase: "eraseAll",
  truncate: "truncate_table",
  clear: "todo-clear clear_history search_clear_results list_clear",
  reset: "reset reset_database git_reset list_reset",
  format: "disk.format format_drive",
  kill: "kill_process",
  terminate: "ec2.terminateInstances",
  uninstall: "uninstall_app",
  rm: "rm fs.rm",
};

const UNKNOWNS =
  "tasks.created mail.sent items.deleted users.updated frobnicate frobnicate_list shuffled_list reorg_view " +
  "get_and_frobnicate frobnicate_and_get check_out_item checkOut check_in check_off_item query db.query deletefile getuser " +
  "delete.file get.thing things posts orders status_bar bump2status frob_status constructor toString valueOf hasOwnProperty " +
  "__proto__ mcp__ mcp____ ... _ - 123 mcp__fs__ Task Grep";

function table(words: Record<string, string>): [string, string][] {
  return Object.entries(words).flatMap(([verb, names]) =>
    names.split(" ").map((name): [string, string] => [name, verb]),
  );
}

describe("readVerb", () => {
  it.each(table(READS))("reads %s as a read by %s", (name, verb) => {
    expect(readVerb(name)).toEqual({ effect: "read", verb, destructive: false });
  });

  it.each(table(WRITES))("reads %s as a write by %s (seed flaw F-A1)", (name, verb) => {
    expect(readVerb(name)).toEqual({ effect: "write", verb, destructive: false });
  });

  it.each(table(REACHES))("reads %s as R3 by %s", (name, verb) => {
    expect(readVerb(name)).toMatchObject({ effect: "write", riskTier: "R3", destructive: false });
    expect(readVerb(name).verb).toBe(verb);
  });

  it.each(table(DESTROYS))("reads %s as R4 and destructive by %s", (name, verb) => {
    expect(readVerb(name)).toEqual({ effect: "write", riskTier: "R4", verb, destructive: true });
  });

  it.each(UNKNOWNS.split(" "))("does not pretend to know %s", (name) => {
    expect(readVerb(name)).toEqual({ effect: "unknown", destructive: false });
  });

  it.each([
    "",
    " ",
    "get user",
    "gеt_user",
    "ｇｅｔ",
    "get\u200b_user",
    "get\n",
    "获取",
    "list\u202e",
    "get_".repeat(2500),
    "a".repeat(10_240),
  ])("does not read an odd name: %j", (name) => {
    expect(readVerb(name).effect).toBe("unknown");
  });

  it("never reads as a read a name that joins a writing verb to a reading one", () => {
    const writing = [...lists.CHANGING_VERBS, ...lists.REACHING_VERBS, ...lists.DESTROYING_VERBS];
    const reading = [...lists.LOOKING_VERBS, ...lists.LISTING_VERBS];
    const name = fc.tuple(
      fc.constantFrom(...reading),
      fc.constantFrom("and", "or", "then"),
      fc.constantFrom(...writing),
    );
    fc.assert(
      fc.property(name, fc.constantFrom("_", "-"), (words, separator) => {
        expect(readVerb(words.join(separator)).effect).toBe("write");
        expect(readVerb(`app.${words.join(separator)}_user`).effect).toBe("write");
      }),
      { numRuns: 1000 },
    );
  });

  it("reads every writing verb alone, as a member and in camel case as a write", () => {
    for (const verb of [...lists.CHANGING_VERBS, ...lists.REACHING_VERBS, ...lists.DESTROYING_VERBS]) {
      for (const name of [verb, `app.${verb}`, `${verb}Thing`, `mcp__server__${verb}_thing`, `todo-${verb}`]) {
        expect(readVerb(name).effect, name).toBe("write");
      }
    }
  });

  it("keeps its lists apart: no word both reads and writes, and every noun-like verb is a verb", () => {
    const writing = new Set([...lists.CHANGING_VERBS, ...lists.REACHING_VERBS, ...lists.DESTROYING_VERBS]);
    const size = lists.CHANGING_VERBS.size + lists.REACHING_VERBS.size + lists.DESTROYING_VERBS.size;
    expect(writing.size).toBe(size);
    const reading = [...lists.LOOKING_VERBS, ...lists.LISTING_VERBS, ...lists.READABLE_NOUNS, ...lists.LEADING_NOUNS];
    expect(reading.filter((word) => writing.has(word))).toEqual([]);
    expect([...lists.ALSO_NOUNS].filter((word) => !writing.has(word))).toEqual([]);
    expect([...lists.THINGS].filter((word) => !lists.ALSO_NOUNS.has(word))).toEqual([]);
  });

  it("gives some reading for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) =>
        ["read", "write", "unknown"].includes(readVerb(name).effect),
      ),
    );
  });
});
