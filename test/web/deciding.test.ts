import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { memoryStore } from "../../src/index.js";
import { armed, closeBrowser, HAS_BROWSER, openWebWorld } from "./world.js";

afterAll(closeBrowser);

const EVENT = { title: "Lunch with Bo", start: "2026-11-20T12:00", guests: ["bo@example.com"] };
const MAIL = { to: ["bo@example.com"], subject: "Hello", body: "See you." };

/** The bar's own words, where the outcome stands. */
const bar = (page: Page) => page.getByRole("group", { name: "Decision" });

describe.runIf(HAS_BROWSER)("deciding in the browser", () => {
  it("shows what will run, waits until it was seen, runs it once and stamps it", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT, { summary: "harmless" });
    const { page, wrongs } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole("heading", { name: 'Create the event "Lunch with Bo"?' }).waitFor();
    const approve = page.getByRole("button", { name: "Create 1 event" });
    // attack F4: inert at first, and never where the focus is
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    expect(await approve.evaluate((button) => button === document.activeElement)).toBe(false);
    await approve.click({ force: true });
    expect(ran).toEqual([]);
    await (await armed(page, "Create 1 event")).click();
    await bar(page).getByText("Done once").waitFor();
    expect(ran).toEqual([{ tool: "calendar.create", args: EVENT }]);
    // attack A1: the agent's words come last
    const text = (await page.locator("article").innerText()).replaceAll("\n", " ");
    expect(text.indexOf("harmless")).toBeGreaterThan(text.indexOf("Lunch with Bo"));
    expect(wrongs).toEqual([]);
  });

  it("asks twice in place for what leaves the system, and Enter alone never says it (R3)", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("email.send", MAIL);
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await armed(page, "Send 1 e-mail");
    await page.keyboard.press("a");
    for (let press = 0; press < 5; press++) await page.keyboard.press("Enter");
    expect(ran).toEqual([]);
    await (await armed(page, /^(Send|Really)/)).click();
    const really = page.getByRole("button", { name: "Really: Send 1 e-mail" });
    if (!(await really.isVisible())) await (await armed(page, "Send 1 e-mail")).click();
    await (await armed(page, "Really: Send 1 e-mail")).click();
    await bar(page).getByText("Done once").waitFor();
    expect(ran).toHaveLength(1);
  });

  it("wants a second's hold, or the typed count, for what cannot be undone (R4)", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const first = await ask("tasks.clear", { list: "Household" });
    const second = await ask("tasks.clear", { list: "Work" });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${first.approvalId}`);
    const hold = await armed(page, "Hold: Delete 4 tasks");
    await hold.click();
    expect(ran).toEqual([]);
    await hold.hover();
    await page.mouse.down();
    await bar(page).getByText("Done once").waitFor();
    await page.mouse.up();
    expect(ran).toHaveLength(1);
    await page.goto(`${url}/approvals/${second.approvalId}`);
    await (await armed(page, "Hold: Delete 4 tasks")).press("Enter");
    const typed = page.getByLabel("Cannot be undone. Type 4 to go on:");
    await typed.fill("3");
    await typed.press("Enter");
    expect(ran).toHaveLength(1);
    await typed.fill("4");
    await typed.press("Enter");
    await bar(page).getByText("Done once").waitFor();
    expect(ran).toHaveLength(2);
  });

  it("offers Approve only when long values were opened and their end was on the screen (attack A3)", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const body = `${"x".repeat(20_000)}${" ".repeat(10_000)}the last word`;
    const { approvalId } = await ask("email.send", { ...MAIL, body });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    const approve = page.getByRole("button", { name: "Send 1 e-mail" });
    await bar(page).getByText("1 long value is not fully shown").waitFor();
    await page.getByRole("button", { name: /^Show all/ }).click();
    await bar(page)
      .getByText(/more fields? below|Scroll to the end/)
      .waitFor();
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await page.getByText("⟨10000 spaces⟩the last word").waitFor();
    await armed(page, "Send 1 e-mail");
  });

  it("denies with a reason that the agent is told, and runs nothing", async () => {
    const { signedIn, ask, ran, url, gate } = await openWebWorld();
    const asked = await ask("email.send", MAIL, { alternatives: [{ tool: "calendar.create", args: EVENT }] });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${asked.approvalId}`);
    await page.getByRole("heading", { name: /^Send/ }).waitFor();
    await page.keyboard.press("d");
    await page.getByRole("button", { name: "calendar.create" }).click();
    await bar(page).getByRole("button", { name: "Cancel the request" }).click();
    await bar(page).getByText("Denied. Nothing ran.").waitFor();
    const outcome = await gate.resume(asked.approvalId);
    expect(outcome).toMatchObject({ type: "denied", reason: expect.stringContaining("calendar.create") });
    expect(ran).toEqual([]);
  });

  it("edits with a diff and the new tier before approving, and runs exactly that (attack A14)", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("email.send", MAIL);
    const { page, wrongs } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: /^(Edit what will run|Check what changes)$/ });
    await dialog.getByRole("tab", { name: "JSON" }).click();
    const editor = dialog.getByRole("textbox", { name: "JSON" });
    await editor.fill(JSON.stringify({ ...MAIL, subject: "Goodbye" }));
    await dialog.getByRole("button", { name: "See what changes" }).click();
    await dialog.getByText("Changed by a person").waitFor();
    expect(await dialog.locator("mark").allInnerTexts()).toEqual(expect.arrayContaining(["Goodbye"]));
    await dialog.getByText("Same risk as before").waitFor();
    await (await armed(page, "Approve the changed call")).click();
    await (await armed(page, "Really: Approve the changed call")).click();
    await bar(page).getByText("Done once").waitFor();
    expect(ran).toEqual([{ tool: "email.send", args: { ...MAIL, subject: "Goodbye" } }]);
    expect(wrongs).toEqual([]);
  });

  it("shows what an edit changes from its beginning, however far down the form was, and keeps the keyboard in the dialog", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const { approvalId } = await ask("email.send", MAIL);
    const { page } = await signedIn({ viewport: { width: 390, height: 480 } });
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Subject").fill("Goodbye");
    await dialog.getByRole("button", { name: "See what changes" }).press("Enter");
    await dialog.getByText("Changed by a person").waitFor();
    await expect.poll(() => dialog.evaluate((pane) => pane.scrollTop)).toBe(0);
    const isInside = () => dialog.evaluate((pane) => pane.contains(document.activeElement));
    await expect.poll(isInside).toBe(true);
    for (let press = 0; press < 8; press++) await page.keyboard.press("Tab");
    expect(await isInside()).toBe(true);
  });

  it("offers under More only what leads somewhere", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const { approvalId } = await ask("email.send", MAIL);
    const itemsOf = async (page: Page) => {
      await page.goto(`${url}/approvals/${approvalId}`);
      await page.getByRole("button", { name: "More" }).click();
      return page.getByRole("menuitem").allInnerTexts();
    };
    const desk = await signedIn();
    // The tool has no dry run.
    await expect.poll(() => itemsOf(desk.page)).toEqual(["Hand over", "Full view", "Timeline"]);
    const phone = await signedIn({ viewport: { width: 390, height: 844 } });
    // There a card has the whole page already.
    await expect.poll(() => itemsOf(phone.page)).toEqual(["Hand over", "Timeline"]);
  });

  it("tries it without effect, for exactly this call", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Dry run" }).click();
    const dialog = page.getByRole("dialog", { name: "Dry run" });
    await dialog.getByText('"conflicts": []').waitFor();
    expect(ran).toEqual([]);
  });

  it("offers at most three ways to be asked less, and then does not ask", async () => {
    const { signedIn, ask, gate, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await armed(page, "Create 1 event");
    await page.getByRole("button", { name: "Ask me less…" }).click();
    const dialog = page.getByRole("dialog", { name: "Ask me less…" });
    await dialog.getByRole("radio").first().click();
    expect(await dialog.getByRole("radio").count()).toBeLessThanOrEqual(3);
    await (await armed(page, "Approve and ask less")).click();
    await bar(page).getByText("Done once").waitFor();
    await page.goto(`${url}/settings/grants`);
    await page.getByRole("button", { name: "Take back" }).waitFor();
    expect((await gate.submit({ tool: "calendar.create", args: EVENT }, gate.caller)).type).toBe("succeeded");
    expect(ran).toHaveLength(2);
  });

  it("says on the screen that time is up, and asks again", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT, { stricter: { ttl: 3_000 } });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await bar(page).getByText("Too late. Nothing ran.").waitFor();
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("Asked again.").first().waitFor();
    await expect.poll(() => page.getByRole("list").getByText("Lunch with Bo").count()).toBeGreaterThan(0);
  });

  it("offers to ask again only when the server says too that time is up", async () => {
    let ahead = 0;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const { signedIn, ask, url } = await openWebWorld({ gate: { store: memoryStore({ clock }), clock } });
    const { approvalId } = await ask("calendar.create", EVENT, { stricter: { ttl: 60_000 } });
    const { page } = await signedIn();
    // By its answers' whole seconds the server's clock is known within one of them; here it is a minute.
    await page.route("**/v1/**", async (route) => {
      if (route.request().resourceType() !== "fetch" || route.request().url().includes("/events"))
        return route.continue();
      const response = await route.fetch();
      const date = new Date(Date.now() + 61_000).toUTCString();
      await route.fulfill({ response, headers: { ...response.headers(), date } });
    });
    await page.goto(`${url}/approvals/${approvalId}`);
    await bar(page).getByText("Too late. Nothing ran.").waitFor();
    expect(await page.getByRole("button", { name: "Ask again" }).count()).toBe(0);
    ahead = 61_000;
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("Asked again.").first().waitFor();
    // Requests of a page that still looks may be half answered by now.
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("undoes by a call of its own where the tool offers it", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await (await armed(page, "Create 1 event")).click();
    await bar(page).getByRole("button", { name: "Undo" }).click();
    // Deleting is of another risk than creating, so that the undo asks too.
    await page.getByRole("button", { name: "Show 1 new approval" }).click();
    await page.getByRole("link", { name: /Delete an event/ }).waitFor();
    expect(ran).toHaveLength(1);
  });
});
