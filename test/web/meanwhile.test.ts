import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, joined } from "./people.js";
import { armed, closeBrowser, drawn, HAS_BROWSER, startWebWorld, type Visitor, type WebWorld } from "./world.js";

const PAYMENT = { amount: 120, pin: "2468" };

describe.runIf(HAS_BROWSER)("what another person changes meanwhile", () => {
  let world: WebWorld;
  let ann: Visitor;
  let bob: Visitor;
  beforeAll(async () => {
    world = await startWebWorld({ gate: { audience: () => ({ roles: ["owner", "approver"], quorum: 2 }) } });
    ann = await world.signedIn();
    bob = await joined(world, ann, { name: "Bob Miller", role: "approver" });
  }, 120_000);
  afterAll(async () => {
    await world.close();
    await closeBrowser();
  });

  /** Ann has its card before her. */
  const shown = async (payee: string) => {
    const { approvalId } = await world.ask("bank.pay", { ...PAYMENT, payee });
    await ann.page.goto(`${world.url}/approvals/${approvalId}`);
    await ann.page.getByRole("heading", { name: /^Pay 120/ }).waitFor();
    return approvalId;
  };
  /** Bob says yes to another amount; Ann's page has drawn it. */
  const bobWants = async (approvalId: string, amount: number) => {
    const { body } = await api(bob.page, "GET", `/v1/approvals/${approvalId}`);
    const answer = {
      decision: "approve",
      toolCallHash: body.toolCallHash,
      args: { ...PAYMENT, payee: "ACME", amount },
    };
    const { status } = await api(bob.page, "POST", `/v1/approvals/${approvalId}/decision`, answer);
    expect(status).toBe(200);
    await ann.page
      .locator("article h2")
      .filter({ hasText: `Pay ${amount}` })
      .waitFor();
  };

  it("leaves in the form what somebody is typing, says that it happened, and is compared with before a yes", async () => {
    const approvalId = await shown("ACME");
    await ann.page.keyboard.press("e");
    const dialog = ann.page.getByRole("dialog");
    await dialog.getByLabel("Amount").fill("90");
    await bobWants(approvalId, 100);
    await dialog.getByText("Somebody has changed this meanwhile.").waitFor();
    expect(await dialog.getByLabel("Amount").inputValue()).toBe("90");
    await dialog.getByRole("button", { name: "See what changes" }).click();
    await dialog.getByText("Check what changes").waitFor();
    // While it is checked it changes once more: what was compared is out of date.
    await bobWants(approvalId, 80);
    await dialog.getByText("Edit what will run").waitFor();
    await dialog.getByText("Somebody has changed this meanwhile.").waitFor();
    expect(await dialog.getByLabel("Amount").inputValue()).toBe("90");
    await dialog.getByRole("button", { name: "See what changes" }).click();
    await (await armed(ann.page, "Approve the changed call")).click();
    await (await armed(ann.page, "Really: Approve the changed call")).click();
    await ann.page.getByText("Your yes is counted: 1 of 2.").waitFor();
    await ann.page.getByRole("heading", { name: /^Pay 90/ }).waitFor();
  });

  it("leaves the reason for a no as it was typed", async () => {
    const approvalId = await shown("Roof & Sons");
    await ann.page.keyboard.press("d");
    await ann.page.getByLabel("Reason, told to the agent").fill("Ask them for an invoice first.");
    await bobWants(approvalId, 100);
    expect(await ann.page.getByLabel("Reason, told to the agent").inputValue()).toBe("Ask them for an invoice first.");
  });

  it("is not read for as long as a dialog stands in front of it (attack F4)", async () => {
    const approvalId = await shown("The garden");
    await armed(ann.page, "Spend 120 EUR");
    await ann.page.keyboard.press("?");
    await ann.page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await bobWants(approvalId, 100);
    const why = ann.page.locator("article").getByText(/more fields? below/);
    await drawn(ann.page);
    expect(await why.count()).toBe(1);
    await ann.page.keyboard.press("Escape");
    await armed(ann.page, "Spend 100 EUR");
  });
});
