import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestDevice } from "../identity/world.js";
import { api, joined, said } from "./people.js";
import { closeBrowser, HAS_BROWSER, startWebWorld, type Visitor, type WebWorld, withAuthenticator } from "./world.js";

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
  let world: WebWorld;
  let ann: Visitor;
  beforeAll(async () => {
    world = await startWebWorld();
    ann = await world.signedIn();
  }, 120_000);
  afterAll(async () => {
    await world.close();
    await closeBrowser();
  });

  const open = async (section: string): Promise<Page> => {
    await ann.page.goto(`${world.url}/settings/${section}`);
    await ann.page.getByRole("heading", { level: 2 }).waitFor();
    return ann.page;
  };
  const listed = (path: string, key: string) => async () => (await api(ann.page, "GET", path)).body[key];
  const newAgent = async (name: string, devices: "none" | "approved") => {
    const made = await api(ann.page, "POST", "/v1/agents", { name, scopes: ["tasks.*"], devices });
    return made.body as { readonly agentId: string; readonly apiKey: string };
  };

  it("a member, in English and in Chinese", async () => {
    for (const name of ["Bob", "Cleo"]) await joined(world, ann, { name, role: "approver" });
    const page = await open("people");
    const remove = (name: string) => page.getByRole("listitem").filter({ hasText: name }).getByRole("button");
    const members = listed("/v1/members", "members");
    await askedFirst(page, remove("Bob"), /keys of their agents stop working/, members, "Remove");
    await page.evaluate(() => localStorage.setItem("countersign.locale", "zh"));
    await page.reload();
    await askedFirst(page, remove("Cleo"), /其智能体的密钥立即失效/, members, "移除");
    await page.evaluate(() => localStorage.setItem("countersign.locale", "en"));
  });

  it("a key, and the agent with all of them", async () => {
    const { agentId } = await newAgent("Night shift", "none");
    const page = await open("developer");
    await page.getByText("Night shift").click();
    const keys = listed(`/v1/agents/${agentId}/keys`, "keys");
    const revoke = page.getByRole("button", { name: "Revoke", exact: true });
    await askedFirst(page, revoke, /Whoever uses it is refused/, keys, "Revoke");
    const agents = listed("/v1/agents", "agents");
    const remove = page.getByRole("button", { name: "Remove the agent", exact: true });
    await askedFirst(page, remove, /All its keys, devices and tokens stop/, agents, "Remove the agent");
  });

  it("a device that asks, whose refusal is for ever", async () => {
    const { apiKey } = await newAgent("Day shift", "approved");
    const claims = { htu: `${world.url}/v1/devices/token` };
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      dpop: new TestDevice().proof(apiKey, Date.now(), { claims }),
    };
    await fetch(claims.htu, { method: "POST", headers, body: JSON.stringify({ label: "Laptop" }) });
    const page = await open("developer");
    const row = page.getByRole("listitem").filter({ hasText: "Laptop" });
    const devices = listed("/v1/devices", "devices");
    await askedFirst(page, row.getByRole("button", { name: "Deny" }), /the device cannot ask again/, devices, "Deny");
  });

  it("a session, and the way back without a passkey", async () => {
    await world.signedIn();
    const page = await open("security");
    const sessions = async () => (await listed("/v1/me/sessions", "sessions")()).length;
    const end = page.getByRole("button", { name: "End", exact: true });
    await askedFirst(page, end, /is signed out at once/, sessions, "End");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("to come back you need a new link from the server").waitFor();
    await page.keyboard.press("Escape");
  });

  it("the last passkey", async () => {
    await withAuthenticator(ann.context, ann.page);
    const page = await open("security");
    await page.getByLabel("Name").fill("Laptop key");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    const remove = page.getByRole("button", { name: "Remove", exact: true });
    await remove.waitFor();
    const count = async () => (await listed("/v1/me/passkeys", "passkeys")()).length;
    await askedFirst(page, remove, /It is your only one/, count, "Remove");
    expect(ann.wrongs).toEqual([]);
  });
});
