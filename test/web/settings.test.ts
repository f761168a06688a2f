import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { TestDevice } from "../identity/world.js";
import { inSettings } from "./in-settings.js";
import { api, askForToken, newAgent, said } from "./people.js";
import { HAS_BROWSER } from "./world.js";

const PERSON = { kind: "person", userId: "ann", workspaceId: "home" } as const;
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Each settings page: what is changed there is kept, and has its effect. */
describe.runIf(HAS_BROWSER)("settings", () => {
  const home = inSettings();
  let calls = 0;
  /** How a call that nobody made before is answered. */
  const asked = async () => {
    const args = { title: `Event ${++calls}`, start: "now", guests: [] };
    return (await home.world.gate.submit({ tool: "calendar.create", args }, home.world.gate.caller)).type;
  };

  it("apps and tools: a tool asks, asks not, and asks again; its times are kept", async () => {
    const page = await home.open("apps");
    await page.getByText("calendar", { exact: true }).click();
    const choose = async (choice: string) => {
      await page.getByLabel("Create an event", { exact: true }).selectOption(choice);
      await page.getByText("Saved.").first().waitFor();
    };
    expect(await asked()).toBe("pending");
    await choose("Do not ask");
    await expect.poll(asked).toBe("succeeded");
    await choose("Always ask");
    await expect.poll(asked).toBe("pending");
    await choose("As the tool says");
    await page.getByLabel("The whole app calendar").selectOption("Do not ask");
    await expect.poll(asked).toBe("succeeded");
    await page.getByLabel("The whole app calendar").selectOption("As each tool says");
    await expect.poll(asked).toBe("pending");
    const tool = page.getByRole("listitem").filter({ hasText: "calendar.create" });
    await tool.getByText("More", { exact: true }).click();
    await tool.getByLabel("Minutes to decide", { exact: true }).fill("2");
    await tool.getByRole("button", { name: "Save" }).last().click();
    await expect.poll(async () => (await home.world.gate.settings(PERSON)).tools["calendar.create"]?.ttl).toBe(120_000);
    await page.getByLabel("Minutes to decide while you are away").fill("45");
    await page.getByRole("button", { name: "Save" }).last().click();
    await expect.poll(async () => (await home.world.gate.settings(PERSON)).offlineTtl).toBe(45 * 60_000);
  });

  it("permissions: one that is taken back holds no longer", async () => {
    const { approvalId, card } = await home.world.ask("calendar.create", { title: "Mine", start: "now", guests: [] });
    await api(home.ann.page, "POST", `/v1/approvals/${approvalId}/decision`, {
      decision: "approve",
      toolCallHash: card.toolCallHash,
      scope: { kind: "session" },
    });
    expect(await asked()).toBe("succeeded");
    const page = await home.open("grants");
    await page.getByText("given by Owner").waitFor();
    await button(page, "Take back").click();
    await page.getByText("No permission stands.").waitFor();
    expect(await asked()).toBe("pending");
  });

  it("developer settings: a key works until it is revoked, rotates, and everything can ask or stop", async () => {
    const page = await home.open("developer");
    await button(page, "New key").click();
    const dialog = page.getByRole("dialog", { name: "New key" });
    await dialog.getByLabel("Name").fill("Night shift");
    await dialog.getByLabel("Tools it may ask for").fill("tasks.*");
    await dialog.getByLabel("Devices").selectOption("May be used from anywhere");
    await dialog.getByRole("button", { name: "New key" }).click();
    const key = await dialog.getByText(/^csk_/).innerText();
    const call = async (apiKey: string) => {
      const answered = await fetch(`${home.world.url}/v1/calls`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ tool: "tasks.add", args: { title: `Task ${++calls}` } }),
      });
      return `${answered.status} ${((await answered.json()) as { type: string }).type}`;
    };
    expect(await call(key)).toBe("200 succeeded");
    await page.keyboard.press("Escape");
    await page.getByText("Night shift").click();
    await page.getByText("Calls by tool").waitFor();
    await page.getByText("tasks.add").waitFor();
    await button(page, "Rotate").click();
    const fresh = await page.getByText(/^csk_live_\w{40,}/).innerText();
    expect(await call(fresh)).toBe("200 succeeded");
    const all = page.getByRole("switch", { name: "Require confirmation for all API actions" });
    await all.click();
    await expect.poll(() => call(fresh)).toBe("202 pending");
    await all.click();
    await expect.poll(() => call(fresh)).toBe("200 succeeded");
    const pause = page.getByRole("switch", { name: "Pause everything" });
    await pause.click();
    await expect.poll(() => call(fresh)).not.toBe("200 succeeded");
    await pause.click();
    await expect.poll(() => call(fresh)).toBe("200 succeeded");
    await button(page, "Remove the agent").click();
    await said(page, "Remove the agent");
    await page.getByText("No agent has a key.").waitFor();
    expect(await call(fresh)).toMatch(/^401/);
  });

  it("developer settings: a device that asks is let in by its owner, and out again", async () => {
    const { apiKey } = await newAgent(home.ann.page, { name: "Night shift", scopes: ["tasks.*"], devices: "approved" });
    const device = new TestDevice();
    const asks = () => askForToken(home.world.url, apiKey, "Ann’s laptop", device);
    expect((await asks()).status).toBe(202);
    const page = await home.open("developer");
    const row = page.getByRole("listitem").filter({ hasText: "Ann’s laptop" });
    await row.getByRole("button", { name: "Approve" }).click();
    await row.getByRole("button", { name: "Revoke" }).waitFor();
    expect((await asks()).status).toBe(200);
    await row.getByRole("button", { name: "Revoke" }).click();
    await said(page, "Revoke");
    await expect.poll(async () => (await asks()).status).toBeGreaterThanOrEqual(400);
  });

  it("privacy: a level is kept, and says how long everything stays", async () => {
    const page = await home.open("privacy");
    await page.getByLabel("Level").selectOption("Enhanced");
    await page.getByText("Saved.").first().waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel("Level").inputValue()).toBe("enhanced");
    await page.getByRole("cell", { name: "30 days after the end" }).first().waitFor();
  });

  it("passkeys and sessions: another browser is signed out from here", async () => {
    const other = await home.world.signedIn();
    const page = await home.open("security");
    await button(page, "End").first().click();
    await said(page, "End");
    await expect.poll(() => button(page, "End").count()).toBe(0);
    await other.page.goto(home.world.url);
    await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("notifications: this browser is asked, and the choice stays (attack D12)", async () => {
    await home.ann.context.grantPermissions(["notifications"]);
    const page = await home.open("notifications");
    const notify = page.getByRole("switch", { name: "Notify me in this browser" });
    await notify.click();
    await expect.poll(() => notify.getAttribute("aria-checked")).toBe("true");
    await page.reload();
    await expect.poll(() => notify.getAttribute("aria-checked")).toBe("true");
    await page.getByText("It never says what, and nothing can be approved from it.").waitFor();
  });

  it("language and look: kept by this browser, on every page", async () => {
    const page = await home.open("display");
    await page.getByLabel("Language", { exact: true }).selectOption("zh");
    await page.getByRole("heading", { name: "语言与外观" }).waitFor();
    await page.getByLabel("外观", { exact: true }).selectOption("dark");
    await page.goto(`${home.world.url}/history`);
    await page.getByRole("heading", { name: "历史" }).waitFor();
    const root = page.locator("html");
    expect([await root.getAttribute("lang"), await root.getAttribute("data-theme")]).toEqual(["zh-CN", "dark"]);
    await page.goto(`${home.world.url}/settings/display`);
    await page.getByLabel("外观", { exact: true }).selectOption("system");
    await page.getByLabel("语言", { exact: true }).selectOption("en");
    await page.getByRole("heading", { name: "Language and look" }).waitFor();
  });

  it("history: filtered, and erased by the person it is about", async () => {
    const page = home.ann.page;
    await page.goto(`${home.world.url}/history`);
    await page.getByLabel("Show", { exact: true }).selectOption("Ran by itself");
    await page.getByText("Add a task").first().waitFor();
    await page.getByLabel("Show", { exact: true }).selectOption("Denied");
    await page.getByText("Nothing here yet.").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export" }).click();
    const lines = (await readFile(await (await downloading).path(), "utf8")).trim().split("\n");
    const exported = lines.map((line) => (JSON.parse(line) as { tool: string }).tool);
    expect(exported).toEqual(expect.arrayContaining(["calendar.create", "tasks.add"]));
    await button(page, "Delete my history").click();
    await button(page, "Delete it").click();
    await page
      .getByText(/records? erased\.$/)
      .first()
      .waitFor();
    expect((await home.world.gate.verify("home")).ok).toBe(true);
    expect(home.ann.wrongs).toEqual([]);
  });
});
