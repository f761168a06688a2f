import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite.js";
import { armed, closeBrowser, HAS_BROWSER, openWebWorld } from "./world.js";

afterAll(closeBrowser);

const event = (title: string) => ({ title, start: "2026-11-20T12:00", guests: [] });
const row = (title: string) => ({ name: new RegExp(title) });

describe.runIf(HAS_BROWSER)("an inbox that is live", () => {
  it("tells the second device who was first, and lets its answer change nothing (I4)", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"));
    const desk = await signedIn();
    const phone = await signedIn({ viewport: { width: 390, height: 844 } });
    for (const { page } of [desk, phone]) await page.goto(`${url}/approvals/${approvalId}`);
    await (await armed(desk.page, "Create 1 event")).click();
    await phone.page.getByText("Done once").first().waitFor();
    await phone.page.getByText("You approved this").waitFor();
    expect(await phone.page.getByRole("button", { name: "Create 1 event" }).count()).toBe(0);
    expect(ran).toHaveLength(1);
  });

  it("keeps arrivals behind a notice, so that nothing moves under a finger", async () => {
    const { signedIn, ask } = await openWebWorld();
    await ask("calendar.create", event("First"));
    const { page } = await signedIn();
    await page.getByRole("link", row("First")).waitFor();
    await ask("tasks.clear", { list: "Household" });
    const notice = page.getByRole("button", { name: "Show 1 new approval" });
    await notice.waitFor();
    expect(await page.getByRole("link", row("Household")).count()).toBe(0);
    await expect
      .poll(() => page.getByRole("status").allInnerTexts())
      .toContain("New approval: Delete all tasks of Household?");
    await notice.click();
    await page.getByRole("link", row("Household")).waitFor();
  });

  it("approves a group in one go, each item by itself, and nothing that joined later", async () => {
    const { signedIn, ask, ran } = await openWebWorld();
    for (const title of ["One", "Two", "Three"]) await ask("calendar.create", event(title));
    const { page } = await signedIn();
    await page.getByRole("link", { name: /3 × Create an event/ }).click();
    await page.getByRole("heading", { name: "3 similar actions" }).waitFor();
    await ask("calendar.create", event("Four"));
    await page.getByRole("button", { name: "Show 1 new approval" }).click();
    await (await armed(page, "Approve all 3")).click();
    await page.getByText("3 of 3 taken.").waitFor();
    expect(ran.map(({ args }) => (args as { title: string }).title).sort()).toEqual(["One", "Three", "Two"]);
  });

  it("says that it is offline, and answers nothing from there", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"));
    const { page, context } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    const approve = await armed(page, "Create 1 event");
    await context.setOffline(true);
    await page.getByText("Offline. Answers cannot be sent from here.").first().waitFor();
    expect(await approve.getAttribute("aria-disabled")).toBe("true");
    await approve.click({ force: true });
    await context.setOffline(false);
    await armed(page, "Create 1 event");
    expect(ran).toEqual([]);
  });

  it("comes back by itself after the server was restarted, with what waited (I5)", async () => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-web-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const open = (port: number) =>
      openWebWorld({
        gate: { store: sqliteStore(join(folder, "gate.db")) },
        serve: { port, identity: join(folder, "people.db") },
      });
    const first = await open(0);
    const port = Number(new URL(first.url).port);
    const { approvalId } = await first.ask("calendar.create", event("Lunch"), { stricter: { ttl: 300_000 } });
    const { page } = await first.signedIn();
    await page.goto(`${first.url}/approvals/${approvalId}`);
    await page.getByText("Live").waitFor();
    await first.served.close();
    await page.getByText("Reconnecting…").waitFor();
    const second = await open(port);
    await page.getByText("Live").waitFor();
    await (await armed(page, "Create 1 event")).click();
    await page.getByRole("status").getByText("Done once").waitFor();
    expect(second.ran).toHaveLength(1);
  });

  it("does not claim to know what became of an answer that nobody acknowledged, until the server is back", async () => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-web-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const open = (port: number) =>
      openWebWorld({
        gate: { store: sqliteStore(join(folder, "gate.db")) },
        serve: { port, identity: join(folder, "people.db") },
      });
    const first = await open(0);
    const { approvalId } = await first.ask("calendar.create", event("Lunch"), { stricter: { ttl: 300_000 } });
    const { page } = await first.signedIn();
    await page.goto(`${first.url}/approvals/${approvalId}`);
    const approve = await armed(page, "Create 1 event");
    await first.served.close();
    await approve.click();
    const unsure = page.getByText("your decision may or may not have counted");
    await unsure.waitFor();
    await open(Number(new URL(first.url).port));
    await page.getByText("Live").waitFor();
    await unsure.waitFor({ state: "detached" });
    await (await armed(page, "Create 1 event")).click();
    await page.getByRole("status").getByText("Done once").waitFor();
  });

  it("keeps only what is on the screen in the page, with a thousand questions in it", async () => {
    const { signedIn, ask } = await openWebWorld({ gate: { limits: { pendingPerUser: 2_000 } } });
    for (let index = 0; index < 1_000; index++) await ask("tasks.clear", { list: `List ${index}` });
    const { page } = await signedIn();
    await page.getByRole("link", row('List 0"')).first().waitFor();
    const rows = page.getByRole("region", { name: "What waits" }).getByRole("listitem");
    expect(await rows.count()).toBeLessThan(60);
    await page.keyboard.press("j");
    await page.getByRole("heading", { name: /^Delete all tasks/ }).waitFor();
    await page.getByLabel("Search").fill("List 777");
    await page.getByRole("link", row("List 777")).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
  });
});
