import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { verifyEvidence } from "../../src/proof/index.js";
import { armed, closeBrowser, HAS_BROWSER, openWebWorld, withAuthenticator } from "./world.js";

afterAll(closeBrowser);

async function hold(page: Page): Promise<void> {
  await (await armed(page, "Hold: Delete 4 tasks")).hover();
  await page.mouse.down();
}

describe.runIf(HAS_BROWSER)("a yes by passkey", () => {
  it("is asked for where nothing can be undone, over exactly this call, and stands in the proof", async () => {
    const { device, served, ask, ran, url, gate } = await openWebWorld();
    const { page, context } = await device();
    await withAuthenticator(context, page);
    await page.goto(await served.signInLink());
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    const { approvalId } = await ask("tasks.clear", { list: "Household" });
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByText("Your passkey is asked for next.").waitFor();
    await hold(page);
    await page.getByRole("status").getByText("Done once").waitFor();
    await page.mouse.up();
    expect(ran).toHaveLength(1);
    const person = { kind: "person", userId: "ann", workspaceId: "home" } as const;
    const { votes } = await gate.approval(approvalId, person);
    expect(votes.map(({ assurance }) => assurance)).toEqual(["passkey_over_hash"]);
    await page.goto(`${url}/audit/${approvalId}`);
    await page.getByText("by a passkey over this very call").waitFor();
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the proof" }).click();
    const report = await verifyEvidence(await (await downloading).path(), []);
    // No key of this server is known here, so that the links are all there is to check.
    expect(report).toMatchObject({ verdict: "unanchored", approvalId });
    expect(report.facts.map(({ type }) => type)).toContain("call.executed");
  });

  it("is refused when the assertion was made for another call (attack D8)", async () => {
    const { device, served, ask, ran, url } = await openWebWorld();
    const { page, context } = await device();
    await withAuthenticator(context, page);
    await page.goto(await served.signInLink());
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    const shown = await ask("tasks.clear", { list: "Household" });
    const swapped = await ask("tasks.clear", { list: "Everything" });
    // Somebody between page and server: the passkey signs one call, the answer names another.
    await page.route(`**/v1/approvals/${shown.approvalId}/decision`, (route) => {
      const body = { ...(route.request().postDataJSON() as object), toolCallHash: swapped.card.toolCallHash };
      const { cardHash: _, ...answer } = body as { cardHash?: string };
      return route.continue({
        url: route.request().url().replace(shown.approvalId, swapped.approvalId),
        postData: JSON.stringify(answer),
      });
    });
    await page.goto(`${url}/approvals/${shown.approvalId}`);
    await hold(page);
    await page.getByText("The passkey was not accepted. Nothing was decided.").waitFor();
    await page.mouse.up();
    expect(ran).toEqual([]);
  });

  it("signs in, and shows itself again before anything is weakened", async () => {
    const { device, served, url, gate } = await openWebWorld();
    const { page, context } = await device();
    await withAuthenticator(context, page);
    await page.goto(await served.signInLink());
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.goto(`${url}/settings/security`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.goto(`${url}/settings`);
    await page.getByRole("switch", { name: "Autonomous Mode" }).click();
    await page.getByRole("button", { name: "Turn on" }).click();
    await page
      .getByText(/^Autonomous until .*up to “Sensitive”\.$/)
      .first()
      .waitFor();
    const person = { kind: "person", userId: "ann", workspaceId: "home" } as const;
    expect((await gate.settings(person)).autonomous?.ceiling).toBe("R2");
    await page.getByRole("button", { name: "Turn off" }).click();
    await expect.poll(async () => (await gate.settings(person)).autonomous).toBeUndefined();
  });
});
