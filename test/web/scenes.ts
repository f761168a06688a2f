import type { Locator, Page } from "playwright-core";
import { en } from "../../web/src/words/en.js";
import type { Words } from "../../web/src/words/words.js";
import { zh } from "../../web/src/words/zh.js";
import type { Stage, StageName } from "./stage.js";
import { armed, type Visitor } from "./world.js";

export const WORDS: Readonly<Record<"en" | "zh", Words>> = { en, zh };

interface Play {
  readonly page: Page;
  /** Goes to a page of the app, as if by a link; whatever was open on the page before is gone. */
  readonly go: (path: string) => Promise<void>;
  readonly words: Words;
  readonly stage: Stage;
  readonly url: string;
}

/** One page in one state, as somebody comes to it. */
export interface Scene {
  readonly name: string;
  readonly at: StageName;
  /** Nobody is signed in; a browser of its own. */
  readonly stranger?: true;
  readonly open: (play: Play) => Promise<unknown>;
  /** Puts back what other scenes would stumble over. */
  readonly after?: (play: Play, visitor: Visitor) => Promise<unknown>;
}

type Ids = Stage["ids"];

const button = (on: Page, name: string) => on.getByRole("button", { name, exact: true });
const heading = (on: Page) => on.getByRole("main").getByRole("heading", { level: 2 }).first();
const dialog = (on: Page): Locator => on.getByRole("dialog");

/** A page that is there when something it was asked for is. */
function page(name: string, path: string, shows: (words: Words) => string, more: Partial<Scene> = {}): Scene {
  return {
    name,
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go(path);
      await on.getByText(shows(words)).filter({ visible: true }).first().waitFor();
    },
    ...more,
  };
}

/** A card, and what somebody does on it. */
function card(name: string, id: keyof Ids, act: (play: Play) => Promise<unknown> = async () => undefined): Scene {
  return {
    name,
    at: "lived",
    open: async (play) => {
      await play.go(`/approvals/${play.stage.ids[id]}`);
      await heading(play.page).waitFor();
      await act(play);
    },
  };
}

const menu = (item: (words: Words) => string) => async (play: Play) => {
  await button(play.page, play.words.decide.more).click();
  await play.page.getByRole("menuitem", { name: item(play.words) }).click();
  await dialog(play.page).waitFor();
};

const SECTIONS: Readonly<Record<keyof Words["settings"]["sections"], (words: Words) => string>> = {
  apps: () => "calendar",
  grants: (words) => words.settings.grants.revoke,
  security: (words) => words.settings.security.signOut,
  people: () => "Bob Miller",
  developer: () => "Ann’s laptop",
  privacy: (words) => words.settings.privacy.always,
  notifications: (words) => words.settings.notifications.on,
  accounts: (words) => words.settings.accounts.connect,
  display: (words) => words.settings.display.look,
};

/** Every page and every state of it. */
export const SCENES: readonly Scene[] = [
  page("sign-in", "/sign-in", (words) => words.signIn.passkey, { stranger: true }),
  page("start-without-link", "/start", (words) => words.signIn.noLink, { stranger: true }),
  {
    name: "start-passkey",
    at: "empty",
    stranger: true,
    open: async ({ page: on, stage, words }) => {
      await on.goto(await stage.worlds.empty.served.signInLink());
      await on.getByRole("link", { name: words.signIn.later }).waitFor();
    },
  },
  page("join", "/join#t=anything", (words) => words.signIn.joinLead, { stranger: true }),
  page("join-refused", "/join", (words) => words.signIn.joinRefused, { stranger: true }),
  page("cli", "/cli", (words) => words.signIn.cliEnter),
  {
    name: "cli-asked",
    at: "lived",
    open: async ({ page: on, url, words }) => {
      const begun = await fetch(`${url}/v1/auth/cli/begin`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ client: "countersign on laptop" }),
      });
      const { userCode } = (await begun.json()) as { userCode: string };
      await on.goto(`${url}/cli/${userCode}`);
      await button(on, words.signIn.cliApprove).waitFor();
    },
  },
  page("not-found", "/nothing-here", (words) => words.common.notFound),
  {
    name: "error",
    at: "lived",
    open: async ({ page: on, url, words }) => {
      await on.route("**/v1/me", (route) => route.fulfill({ status: 500, body: "{}" }));
      await on.goto(`${url}/`);
      await button(on, words.common.retry).waitFor();
    },
    after: async ({ page: on, url }) => {
      await on.unroute("**/v1/me");
      await on.goto(url);
    },
  },
  {
    name: "offline",
    at: "lived",
    open: async ({ page: on, go, stage, words }) => {
      await go(`/approvals/${stage.ids.mail}`);
      await heading(on).waitFor();
      await on.context().setOffline(true);
      await on.getByText(words.common.offline).first().waitFor();
    },
    after: async ({ page: on, words }) => {
      await on.context().setOffline(false);
      await on.getByText(words.common.offline).first().waitFor({ state: "detached" });
    },
  },
  page("inbox-empty", "/", (words) => words.inbox.empty, { at: "empty" }),
  page("history-empty", "/history", (words) => words.history.empty, { at: "empty" }),
  page("inbox-200", "/", () => "List 1", { at: "crowded" }),
  page("inbox", "/", () => "Household"),
  {
    name: "inbox-no-match",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/");
      await on.getByLabel(words.inbox.search).fill("xyzzy");
      await on.getByText(words.inbox.noMatch).waitFor();
    },
  },
  {
    name: "keyboard",
    at: "lived",
    open: async ({ page: on, go }) => {
      await go("/");
      await on.getByRole("list").getByRole("link").first().waitFor();
      await on.keyboard.press("?");
      await dialog(on).waitFor();
    },
  },
  page("card-missing", "/approvals/nobody-knows-it", (words) => words.inbox.missing),
  card("card", "mail"),
  card("card-irreversible", "clear"),
  card("card-irreversible-typed", "clear", ({ page: on, words }) => button(on, words.decide.typeInstead).click()),
  card("card-twice", "chinese", async ({ page: on, words }) => {
    const all = on.getByRole("button", { name: /^(Show all|显示全部)/ });
    if (await all.isVisible()) await all.click();
    const act = words.locale === "en" ? "Send 1 e-mail" : "发送 1 项邮件";
    await (await armed(on, act)).click();
    await button(on, words.decide.twice(act)).waitFor();
  }),
  card("card-long", "long"),
  card("card-chinese", "chinese"),
  card("card-quorum", "quorum", ({ page: on, words }) => button(on, words.state.withdraw).waitFor()),
  card("card-more", "mail", async ({ page: on, words }) => {
    await button(on, words.decide.more).click();
    await on.getByRole("menu").waitFor();
  }),
  card("card-exact", "mail", async ({ page: on, words }) => {
    await on.getByText(words.card.exact).click();
    await on.getByText(words.card.exactNote).scrollIntoViewIfNeeded();
  }),
  {
    name: "card-full",
    at: "lived",
    open: async ({ page: on, go, stage }) => {
      await go(`/approvals/${stage.ids.long}/full`);
      await heading(on).waitFor();
    },
  },
  {
    name: "group",
    at: "lived",
    open: async ({ page: on, go, stage }) => {
      await go(`/group/${stage.ids.group}`);
      await heading(on).waitFor();
    },
  },
  card("edit", "mail", async ({ page: on, words }) => {
    await button(on, words.decide.edit).click();
    await dialog(on).waitFor();
  }),
  card("edit-json", "mail", async ({ page: on, words }) => {
    await button(on, words.decide.edit).click();
    await dialog(on).getByRole("tab", { name: words.edit.json }).click();
    await dialog(on).getByRole("textbox", { name: words.edit.json }).waitFor();
  }),
  card("edit-review", "mail", async ({ page: on, words }) => {
    await button(on, words.decide.edit).click();
    await dialog(on).getByLabel("Subject").fill("Invoice 2026-11");
    await button(on, words.edit.review).click();
    await dialog(on).getByText(words.card.changedEdit).waitFor();
  }),
  card("edit-review-chinese", "chinese", async ({ page: on, words }) => {
    await button(on, words.decide.edit).click();
    await dialog(on).getByLabel("Subject").fill("关于停电检修 (Block B) 的通知");
    await button(on, words.edit.review).click();
    await dialog(on).getByText(words.card.changedEdit).waitFor();
  }),
  card("step-up", "signed", ({ page: on, words }) =>
    on.getByText(words.card.needs(words.card.assurance["passkey_over_hash"] ?? "")).waitFor(),
  ),
  card("step-up-refused", "signed", async ({ page: on, words }) => {
    const act = words.locale === "en" ? "Send 1 e-mail" : "发送 1 项邮件";
    await (await armed(on, act)).click();
    await (await armed(on, words.decide.twice(act))).click();
    await on.getByText(words.problems.step_up_required).waitFor();
  }),
  card("deny", "mail", async ({ page: on, words }) => {
    await on.getByRole("group", { name: words.decide.bar }).getByRole("button").first().click();
    await on.getByLabel(words.decide.reason).waitFor();
  }),
  card("ask-me-less", "group", async ({ page: on, words }) => {
    await button(on, words.decide.less).click();
    await dialog(on).getByRole("radio").first().click();
  }),
  card(
    "dry-run",
    "group",
    menu((words) => words.decide.dryRun),
  ),
  card(
    "hand-over",
    "quorum",
    menu((words) => words.decide.handOver),
  ),
  card("outcome-done", "done"),
  card("outcome-failed", "failed"),
  card("outcome-denied", "denied"),
  card("outcome-expired", "expired"),
  card("outcome-unknown", "unknown"),
  card("outcome-withheld", "withheld"),
  page("history", "/history", () => "Passwords"),
  {
    name: "history-delete",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/history");
      await button(on, words.history.erase).click();
      await dialog(on).waitFor();
    },
  },
  {
    name: "timeline",
    at: "lived",
    open: async ({ page: on, go, stage, words }) => {
      await go(`/audit/${stage.ids.failed}`);
      await on.getByText(words.audit.entries).waitFor();
    },
  },
  page("settings", "/settings", (words) => words.settings.autonomous.title),
  ...Object.entries(SECTIONS).map(([section, shows]) => page(`settings-${section}`, `/settings/${section}`, shows)),
  {
    name: "settings-people-remove",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings/people");
      await button(on, words.settings.people.remove).first().click();
      await dialog(on).waitFor();
    },
  },
  {
    name: "settings-tool",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings/apps");
      await on.getByText("calendar", { exact: true }).click();
      await on.getByText(words.settings.apps.more, { exact: true }).filter({ visible: true }).first().click();
    },
  },
  {
    name: "settings-key-use",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings/developer");
      await on.getByText("Mail sorter").click();
      await on.getByText(words.settings.developer.byState).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "settings-account-code",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings/accounts");
      await button(on, words.settings.accounts.connect).click();
      await on.getByText(words.settings.accounts.say).waitFor();
    },
  },
  {
    name: "settings-new-key",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings/developer");
      await button(on, words.settings.developer.create).click();
      await dialog(on).waitFor();
    },
  },
  {
    name: "settings-invitation",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings/people");
      await button(on, words.settings.people.invite).click();
      await on.getByText(words.settings.people.inviteLink).waitFor();
    },
  },
  {
    name: "autonomous-ask",
    at: "lived",
    open: async ({ page: on, go, words }) => {
      await go("/settings");
      await on.getByRole("switch", { name: words.settings.autonomous.title }).click();
      await dialog(on).waitFor();
    },
  },
  {
    name: "autonomous-on",
    at: "empty",
    open: async ({ page: on, go, words }) => {
      await go("/settings");
      await on.getByRole("switch", { name: words.settings.autonomous.title }).click();
      await button(on, words.settings.autonomous.turnOn).click();
      await button(on, words.settings.autonomous.turnOff).waitFor();
    },
    after: ({ page: on, words }) => button(on, words.settings.autonomous.turnOff).click(),
  },
  page("demo", "/", (words) => words.demo.remove, { at: "home" }),
  page("chat-empty", "/chat", (words) => words.chat.empty, { at: "home" }),
  {
    name: "chat",
    at: "home",
    open: async ({ page: on, go, words }) => {
      await go("/chat");
      for (const text of ["Add a task: buy milk", "Delete the task buy milk"]) {
        await on.getByLabel(words.chat.placeholder).fill(text);
        await button(on, words.chat.send).click();
      }
      await on.getByText(words.chat.waiting).first().waitFor();
    },
    after: async ({ page: on, words, stage }) => {
      stage.worlds.home.assistant.apps.household.run("DELETE FROM todo WHERE title = 'buy milk'");
      await on.getByLabel(words.chat.placeholder).fill(words.locale === "zh" ? "取消" : "cancel");
      await button(on, words.chat.send).click();
      await on.getByText(words.chat.waiting).first().waitFor({ state: "detached" });
    },
  },
];
