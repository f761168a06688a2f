import { afterAll, describe, expect, it } from "vitest";
import { closeBrowser, HAS_BROWSER, openWebWorld } from "./world.js";

afterAll(closeBrowser);

const event = (title: string) => ({ title, start: "2026-11-20T12:00", guests: [] });

describe.runIf(HAS_BROWSER)("the app on a device", () => {
  it("can be installed, opens without a network, and has kept nothing that the API said", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"));
    const { page, context } = await signedIn({ serviceWorkers: "allow" });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const session = await context.newCDPSession(page);
    const { errors } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // Every context of a test is a private window, in which nothing is installed.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(["in-incognito"]);
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole("heading", { name: "Create the event Lunch?" }).waitFor();
    await context.setOffline(true);
    await page.reload();
    await page
      .getByText("The server does not answer. Whatever waits is kept until it does.")
      .waitFor({ timeout: 30_000 });
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map((request) => new URL(request.url).pathname);
    });
    expect(kept).toContain("/");
    expect(kept.filter((path) => path.startsWith("/v1"))).toEqual([]);
  });

  it.each([
    ["reduce", "0s"],
    ["no-preference", "0.16s"],
  ] as const)("moves as the device asks: %s", async (reducedMotion, duration) => {
    const { signedIn, ask, url, gate } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", event("Lunch"));
    await gate.cancel({ approvalId }, gate.caller, "no need any more");
    const { page } = await signedIn({ reducedMotion });
    await page.goto(`${url}/approvals/${approvalId}`);
    const stamp = page.locator(".stamp");
    await stamp.waitFor();
    expect(await stamp.evaluate((element) => getComputedStyle(element).animationDuration)).toBe(duration);
  });
});
