import type { Locator, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { api } from "./people.js";
import { armed, closeBrowser, drawn, HAS_BROWSER, openWebWorld } from "./world.js";

afterAll(closeBrowser);

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const event = (title: string) => ({ title, start: "2026-11-20T12:00", guests: [] });
const bar = (page: Page) => page.getByRole("group", { name: "Decision" });
const rows = (page: Page) => page.getByRole("region", { name: "What waits" }).getByRole("listitem").getByRole("link");

const lands = async (place: Locator) => {
  await expect.poll(() => place.evaluate((element) => element === document.activeElement)).toBe(true);
};

describe.runIf(HAS_BROWSER)("a day in the inbox", () => {
  it("goes by keyboard: next, previous, read, edit, deny, approve, and the card stays stamped until it is put away", async () => {
    const { signedIn, ask, ran } = await openWebWorld();
    await ask("tasks.clear", { list: "Household" });
    await ask("calendar.create", event("Lunch"));
    const { page } = await signedIn();
    await expect.poll(() => rows(page).count()).toBe(2);
    const question = page.getByRole("article").getByRole("heading", { level: 2 });
    const shows = async (text: string) => {
      await expect.poll(() => question.innerText()).toContain(text);
    };
    await page.keyboard.press("j");
    await shows("Household");
    // No key and no Enter says yes to what cannot be undone.
    await armed(page, "Hold: Delete 4 tasks");
    for (const key of ["a", "Enter", "Enter", " "]) await page.keyboard.press(key);
    expect(ran).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("article").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("j");
    await shows("Lunch");
    await page.keyboard.press("k");
    await shows("Household");
    await page.keyboard.press("d");
    await page.getByLabel("Reason, told to the agent").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await shows("Lunch");
    await page.keyboard.press("o");
    expect(await page.locator("[data-scroll]").evaluate((pane) => pane === document.activeElement)).toBe(true);
    await page.keyboard.press("e");
    await page.getByRole("dialog", { name: "Edit what will run" }).waitFor();
    await page.keyboard.press("Escape");
    await armed(page, "Create 1 event");
    await page.keyboard.press("a");
    await bar(page).getByText("Done once").waitFor();
    expect(ran).toHaveLength(1);
    await page.getByRole("link", { name: /Lunch/ }).getByText("Done once").waitFor();
    await bar(page).getByRole("button", { name: "Put away" }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
  });

  it("keeps the keyboard's place and tells what happened: after a yes, a no, a step back, and when the card is put away", async () => {
    const { signedIn, ask } = await openWebWorld();
    for (const list of ["Household", "Garden", "Office"]) await ask("tasks.clear", { list });
    await ask("calendar.create", event("Lunch"));
    const { page } = await signedIn();
    await expect.poll(() => rows(page).count()).toBe(4);
    const tells = async (text: string) => {
      await expect.poll(() => page.getByRole("status").allInnerTexts()).toContainEqual(expect.stringContaining(text));
    };

    // By a key that is typed into nothing.
    await page.getByRole("link", { name: /Lunch/ }).click();
    await armed(page, "Create 1 event");
    await page.keyboard.press("a");
    await bar(page).getByText("Done once").waitFor();
    await lands(bar(page));
    await tells("Create the event Lunch? Done once");
    // From there the next step is what can still be done with it.
    await page.keyboard.press("Tab");
    await lands(bar(page).getByText("What the tool returned"));
    // Put away, it leads back to the list, to the row in its place or the last one; nothing is opened.
    await bar(page).getByRole("button", { name: "Put away" }).press("Enter");
    await expect.poll(() => rows(page).count()).toBe(3);
    await lands(rows(page).nth(2));
    expect(await page.getByRole("article").count()).toBe(0);

    await page.getByRole("link", { name: /Garden/ }).press("Enter");
    const deny = bar(page).getByRole("button", { name: "Cancel", exact: true });
    await deny.press("Enter");
    await page.keyboard.press("Escape");
    await lands(bar(page));
    await deny.press("Enter");
    await bar(page).getByRole("button", { name: "Cancel the request" }).press("Enter");
    await bar(page).getByText("Denied. Nothing ran.").waitFor();
    await lands(bar(page));
    await tells("Delete all tasks of Garden? Denied. Nothing ran.");
    await bar(page).getByRole("button", { name: "Put away" }).press("Enter");
    await expect.poll(() => rows(page).count()).toBe(2);
    expect(await rows(page).evaluateAll((links) => links.some((link) => link === document.activeElement))).toBe(true);
  });

  it("keeps the keyboard's place after a dialog whose opener went, a yes to many, and a switch that had to wait", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"));
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await bar(page).getByRole("button", { name: "Edit", exact: true }).press("Enter");
    await page.getByLabel(/^Title/).fill("Tea");
    await page.getByRole("button", { name: "See what changes" }).press("Enter");
    await (await armed(page, "Approve the changed call")).press("Enter");
    await bar(page).getByText("Done once").waitFor();
    await lands(bar(page));

    for (const title of ["One", "Two"]) await ask("calendar.create", event(title));
    await page.goto(url);
    await page.getByRole("link", { name: /2 × Create an event/ }).click();
    await (await armed(page, "Approve all 2")).press("Enter");
    await page.getByText("2 of 2 taken.").waitFor();
    await lands(bar(page));

    await page.goto(`${url}/settings/developer`);
    const pause = page.getByRole("switch", { name: "Pause everything" });
    await page.route("**/v1/workspace/pause", async (route) => {
      // The browser drops the focus of what is disabled when it draws the next frame.
      await expect.poll(() => pause.isDisabled()).toBe(true);
      await drawn(page);
      await route.continue();
    });
    await pause.press("Space");
    await expect.poll(() => pause.getAttribute("aria-checked")).toBe("true");
    await lands(pause);
  });

  it("narrows to a risk, an agent or words, and comes back", async () => {
    const { signedIn, ask } = await openWebWorld();
    await ask("tasks.clear", { list: "Household" });
    await ask("calendar.create", event("Lunch"), {}, { agentId: "secretary" });
    const { page } = await signedIn();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByLabel("Risk").selectOption("Cannot be undone");
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining("Household")]);
    await page.getByLabel("Agent").selectOption("secretary");
    await page.getByText("Nothing here matches.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByLabel("Agent").selectOption("secretary");
    await expect.poll(() => rows(page).allInnerTexts()).toEqual([expect.stringContaining("Lunch")]);
  });

  it("tells the time left by the server's clock, however wrong the device's is, and warns aloud in the last minute", async () => {
    const { device, served, ask, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"), { stricter: { ttl: 170_000 } });
    await ask("calendar.create", event("Tea"), { stricter: { ttl: 59_000 } });
    const { page } = await device();
    // Forty minutes fast: by its own clock everything here is long over.
    await page.addInitScript(() => {
      const real = Date.now.bind(Date);
      Date.now = () => real() + 40 * 60_000;
    });
    await page.goto(await served.signInLink());
    await page.getByRole("link", { name: "Later" }).click();
    await expect
      .poll(() => page.getByRole("status").allInnerTexts())
      .toContain("Less than one minute left: Create the event Tea?");
    await page.goto(`${url}/approvals/${approvalId}`);
    await page
      .getByRole("article")
      .getByText(/^[12] min left$/)
      .waitFor();
    await armed(page, "Create 1 event");
  });

  it("reports a group item by item when somebody else was first with one of them", async () => {
    const { signedIn, ask, ran } = await openWebWorld();
    const asked = [];
    for (const title of ["One", "Two", "Three"]) asked.push(await ask("calendar.create", event(title)));
    const { page } = await signedIn();
    await page.getByRole("link", { name: /3 × Create an event/ }).click();
    const approve = await armed(page, "Approve all 3");
    // The answer is on its way while another one overtakes it.
    const [first] = asked;
    await page.route("**/v1/approvals/decisions", async (route) => {
      await api(page, "POST", `/v1/approvals/${first?.approvalId}/decision`, {
        decision: "deny",
        toolCallHash: first?.card.toolCallHash,
      });
      await route.continue();
    });
    await approve.click();
    await page.getByText("2 of 3 taken.").waitFor();
    expect(ran.map(({ args }) => (args as { title: string }).title).sort()).toEqual(["Three", "Two"]);
  });

  it("is decided by the thumb on a phone: the bar is at its end of the screen, and no swipe approves", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"));
    const { page, context } = await signedIn(PHONE);
    await page.goto(`${url}/approvals/${approvalId}`);
    const approve = await armed(page, "Create 1 event");
    const box = await approve.boundingBox();
    if (box === null) throw new Error("The button is not on the screen.");
    expect(box.y).toBeGreaterThan(844 / 2);
    expect(box.height).toBeGreaterThanOrEqual(44);
    const touch = await context.newCDPSession(page);
    for (const y of [300, box.y + box.height / 2]) {
      for (const xDistance of [300, -300]) {
        const x = xDistance > 0 ? 40 : 350;
        await touch.send("Input.synthesizeScrollGesture", { x, y, xDistance, gestureSourceType: "touch" });
      }
    }
    expect(ran).toEqual([]);
    await approve.tap();
    await bar(page).getByText("Done once").waitFor();
  });

  it("lets a finger that holds what cannot be undone slide away and change its mind", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("tasks.clear", { list: "Household" });
    const { page, context } = await signedIn(PHONE);
    await page.goto(`${url}/approvals/${approvalId}`);
    const hold = await armed(page, "Hold: Delete 4 tasks");
    const box = await hold.boundingBox();
    if (box === null) throw new Error("The button is not on the screen.");
    const touch = await context.newCDPSession(page);
    const finger = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: { x: number; y: number }[]) =>
      touch.send("Input.dispatchTouchEvent", { type, touchPoints });
    const fill = hold.locator(".hold-fill");
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await finger("touchStart", at);
    await fill.waitFor();
    await finger("touchMove", { ...at, y: at.y - 300 });
    await fill.waitFor({ state: "detached" });
    await armed(page, "Hold: Delete 4 tasks");
    await finger("touchEnd");
    expect(ran).toEqual([]);
    await finger("touchStart", at);
    await bar(page).getByText("Done once").waitFor();
    await finger("touchEnd");
    expect(ran).toHaveLength(1);
  });
});
