import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.js";
import { armed, closeBrowser, HAS_BROWSER, openWebWorld } from "./world.js";

afterAll(closeBrowser);

const EVENT = { title: "Lunch with Bo", start: "2026-11-20T12:00", guests: [] };
const bar = (page: Page) => page.getByRole("group", { name: "Decision" });

describe.runIf(HAS_BROWSER)("reading a card", () => {
  it("finds what it would do, how grave that is and why, the way back, who stands behind it, and the exact call", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const call = { summary: "Only tidying up." };
    const { approvalId, card } = await ask("tasks.clear", { list: "Household" }, call, { lineage: ["boss", "deputy"] });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    const article = page.getByRole("article");
    await article.getByRole("heading", { name: "Delete all tasks of Household?" }).waitFor();
    for (const text of ["Cannot be undone", "deletes 4 tasks · 3 shown", "Renew the passport", "There is no way back."])
      await article.getByText(text).first().waitFor();
    await article.getByText("By way of boss › deputy").waitFor();
    const fragment = article.getByText("clear", { exact: true });
    expect(await fragment.evaluate((element) => getComputedStyle(element).textDecorationLine)).toBe("underline");
    await article.getByText("The exact call").click();
    await article.getByText(card.toolCallHash).waitFor();
    await article.getByText(card.toolCallCanonical).waitFor();
    // attack A1: what the agent says is marked as its own
    const said = article.getByRole("heading", { name: "The agent says (not checked)" });
    expect(await said.locator("..").innerText()).toContain("Only tidying up.");
  });

  it("tells a line that ends from one that wraps by its number, which is in no copy", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const body = `rm -r build ${"and ".repeat(60)}so on\nls`;
    const { approvalId } = await ask("email.send", { to: ["bo@example.com"], subject: "Hello", body });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    const lines = page
      .getByRole("article")
      .getByRole("listitem")
      .filter({ hasText: /^(rm|ls)/ });
    await expect.poll(() => lines.count()).toBe(2);
    const numbers = lines.evaluateAll((all) => all.map((line) => getComputedStyle(line, "::before").content));
    expect((await numbers).map((content) => content.split(" / ")[0])).toEqual(['"1"', '"2"']);
    expect((await lines.allInnerTexts()).join("\n")).toBe(body);
  });

  it("reads a long call when it is opened, to its end, and approves that (attack F11)", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const body = `${"Dear all, ".repeat(8_000)}the end.`;
    const { approvalId } = await ask("email.send", { to: ["bo@example.com"], subject: "Hello", body });
    const { page } = await signedIn();
    await page.goto(url);
    await page.getByRole("link", { name: "email.send" }).click();
    await page.waitForURL(`**/approvals/${approvalId}`);
    await page.getByRole("button", { name: /^Show all/ }).click();
    await (await armed(page, "Send 1 e-mail")).click();
    await (await armed(page, "Really: Send 1 e-mail")).click();
    await bar(page).getByText("Done once").waitFor();
    expect(ran).toHaveLength(1);
  });

  it("cannot be cut short: Approve is inert again after the window came to the front (attack F4)", async () => {
    const { signedIn, ask, ran, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    const approve = await armed(page, "Create 1 event");
    // In one turn, so that the click comes as fast as a click can.
    const inert = await approve.evaluate(async (button) => {
      dispatchEvent(new Event("focus"));
      await Promise.resolve();
      (button as HTMLButtonElement).click();
      return button.getAttribute("aria-disabled");
    });
    expect(inert).toBe("true");
    expect(ran).toEqual([]);
    await (await armed(page, "Create 1 event")).click();
    await bar(page).getByText("Done once").waitFor();
  });

  it("shows the new tier of an edit in the form, and asks as that tier does", async () => {
    const planted: number[] = [];
    const plant = defineTool<{ readonly amount: number; readonly bed: string }>({
      name: "garden.plant",
      title: "Plant flowers",
      effect: "write",
      riskTier: "R2",
      confirm: true,
      cost: ({ amount }) => amount,
      inputSchema: z.object({ amount: z.number().meta({ title: "Amount" }), bed: z.string() }),
      execute: ({ amount }) => {
        planted.push(amount);
        return { ok: true };
      },
    });
    const { signedIn, ask, url } = await openWebWorld({ gate: { tools: [plant], thresholds: { cost: 100 } } });
    const { approvalId } = await ask("garden.plant", { amount: 50, bed: "roses" });
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await page.getByRole("heading", { name: "Plant flowers?" }).waitFor();
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Amount").fill("500");
    await dialog.getByRole("button", { name: "See what changes" }).click();
    await dialog.getByText("Risk after the change").waitFor();
    const alert = dialog.getByText("Risk after the change").locator("..");
    expect((await alert.innerText()).replaceAll("\n", " ")).toBe("Risk after the change Sensitive → Leaves this place");
    expect(await dialog.locator("mark").allInnerTexts()).toEqual(["50", "500"]);
    await (await armed(page, "Approve the changed call")).click();
    expect(planted).toEqual([]);
    await (await armed(page, "Really: Approve the changed call")).click();
    await bar(page).getByText("Done once").waitFor();
    expect(planted).toEqual([500]);
  });

  it("says what proof a yes needs, and that one without it decides nothing (AISVS 9.2.2)", async () => {
    const audience = () => ({ assurance: "passkey_over_hash" as const });
    const { signedIn, ask, ran, url } = await openWebWorld({ gate: { audience } });
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page } = await signedIn();
    await page.goto(`${url}/approvals/${approvalId}`);
    await bar(page).getByText("A yes has to come by a passkey over this very call.").waitFor();
    await (await armed(page, "Create 1 event")).click();
    await bar(page).getByText("This needs your passkey. Add one in Settings.").waitFor();
    expect(ran).toEqual([]);
  });
});
