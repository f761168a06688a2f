import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { memoryStandIn } from "../channels/stand-ins/memory.js";
import { inSettings } from "./in-settings.js";
import { api, askForToken, joined, newAgent, said } from "./people.js";
import { drawn, HAS_BROWSER, withAuthenticator } from "./world.js";

const chat = await memoryStandIn();
const isFocused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);

/** Opens the question, goes away from it in every way there is, and comes back to the button each time; then says yes. */
async function askedFirst(page: Page, opener: Locator, saying: RegExp, still: () => Promise<unknown>, verb: string) {
  const dialog = page.getByRole("dialog");
  const before = await still();
  const leave: readonly (() => Promise<unknown>)[] = [
    () => page.keyboard.press("Escape"),
    () => dialog.getByRole("button", { name: /^(Cancel|取消)$/ }).click(),
    () => page.mouse.click(5, 5),
  ];
  for (const away of leave) {
    await opener.click();
    await dialog.getByText(saying).waitFor();
    await drawn(page);
    // Enter alone presses nothing: no button has the focus.
    await page.keyboard.press("Enter");
    expect(await dialog.isVisible()).toBe(true);
    await away();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => isFocused(opener)).toBe(true);
  }
  expect(await still()).toEqual(before);
  await opener.click();
  await said(page, verb);
  await expect.poll(still).not.toEqual(before);
}

describe.runIf(HAS_BROWSER)("what ends something asks first, and says what will stop:", () => {
  const home = inSettings({
    serve: { channels: { channels: [chat.channel()], locales: { telegram: "en" }, groups: [], unclear: "ask" } },
  });
  const listed = (path: string, key: string) => async () => (await api(home.ann.page, "GET", path)).body[key];

  it("a member, in English and in Chinese", async () => {
    for (const name of ["Bob", "Cleo"]) await joined(home.world, home.ann, { name, role: "approver" });
    const page = await home.open("people");
    const remove = (name: string) => page.getByRole("listitem").filter({ hasText: name }).getByRole("button");
    const members = listed("/v1/members", "members");
    await askedFirst(page, remove("Bob"), /keys of their agents stop working/, members, "Remove");
    await page.evaluate(() => localStorage.setItem("countersign.locale", "zh"));
    await page.reload();
    await askedFirst(page, remove("Cleo"), /其智能体的密钥立即失效/, members, "移除");
    await page.evaluate(() => localStorage.setItem("countersign.locale", "en"));
  });

  it("a key, and the agent with all of them", async () => {
    const { agentId } = await newAgent(home.ann.page, { name: "Night shift", scopes: ["tasks.*"], devices: "none" });
    const page = await home.open("developer");
    await page.getByText("Night shift").click();
    const keys = listed(`/v1/agents/${agentId}/keys`, "keys");
    const revoke = page.getByRole("button", { name: "Revoke", exact: true });
    await askedFirst(page, revoke, /Whoever uses it is refused/, keys, "Revoke");
    const agents = listed("/v1/agents", "agents");
    const remove = page.getByRole("button", { name: "Remove the agent", exact: true });
    await askedFirst(page, remove, /All its keys, devices and tokens stop/, agents, "Remove the agent");
  });

  it("a device that asks, whose refusal is for ever", async () => {
    const { apiKey } = await newAgent(home.ann.page, { name: "Day shift", scopes: ["tasks.*"], devices: "approved" });
    await askForToken(home.world.url, apiKey, "Laptop");
    const page = await home.open("developer");
    const row = page.getByRole("listitem").filter({ hasText: "Laptop" });
    const devices = listed("/v1/devices", "devices");
    await askedFirst(page, row.getByRole("button", { name: "Deny" }), /the device cannot ask again/, devices, "Deny");
  });

  it("a session, and the way back without a passkey", async () => {
    await home.world.signedIn();
    const page = await home.open("security");
    const sessions = async () => (await listed("/v1/me/sessions", "sessions")()).length;
    const end = page.getByRole("button", { name: "End", exact: true });
    await askedFirst(page, end, /is signed out at once/, sessions, "End");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("to come back you need a new link from the server").waitFor();
    await page.keyboard.press("Escape");
  });

  it("a chat account, which answers nothing from then on", async () => {
    const { body: code } = await api(home.ann.page, "POST", "/v1/me/accounts/code", {});
    await chat.say(chat.people.ann, chat.chats.ann, `link ${code.code}`);
    await home.world.ask("calendar.create", { title: "Lunch", start: "now", guests: [] });
    const lastCard = () => chat.seen(chat.chats.ann).findLast(({ text }) => text.includes("Lunch"));
    await expect.poll(() => lastCard()?.buttons).toContain("Confirm");
    const card = lastCard();
    const page = await home.open("accounts");
    const disconnect = page.getByRole("button", { name: "Disconnect", exact: true });
    await disconnect.waitFor();
    const accounts = listed("/v1/me/accounts", "accounts");
    await askedFirst(page, disconnect, /answers nothing for you any more/, accounts, "Disconnect");
    await page.getByText("No chat account answers for you.").waitFor();
    expect(await chat.click(chat.people.ann, card?.id ?? "", "Confirm")).toContain("not connected");
    // What opened the question is gone with the account: its section has the focus.
    await expect.poll(() => isFocused(page.getByRole("region", { name: "Chat accounts" }))).toBe(true);
  });

  it("the last passkey", async () => {
    await withAuthenticator(home.ann.context, home.ann.page);
    const page = await home.open("security");
    await page.getByLabel("Name").fill("Laptop key");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const remove = page.getByRole("button", { name: "Remove", exact: true });
    await remove.waitFor();
    const count = async () => (await listed("/v1/me/passkeys", "passkeys")()).length;
    await askedFirst(page, remove, /It is your only one/, count, "Remove");
    expect(home.ann.wrongs).toEqual([]);
  });
});
