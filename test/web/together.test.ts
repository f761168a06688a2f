import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api, joined, said } from "./people.js";
import { armed, closeBrowser, HAS_BROWSER, startWebWorld, type Visitor, type WebWorld } from "./world.js";

const EVENT = { title: "Lunch", start: "2026-11-20T12:00", guests: [] };
const PERSON = { kind: "person", userId: "ann", workspaceId: "home" } as const;
const HOUR = 3_600_000;

const bar = (page: Page) => page.getByRole("group", { name: "Decision" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** What a terminal does: it asks, as slowly as it is told to, until it hears. */
async function signedInTerminal(page: Page, deviceCode: string): Promise<{ readonly token: string }> {
  for (;;) {
    const { body } = await api(page, "POST", "/v1/auth/cli/poll", { deviceCode });
    if (body.type === "signed_in") return body as { token: string };
    expect(body.type).toBe("slow_down");
    await setTimeout(body.interval);
  }
}

describe.runIf(HAS_BROWSER)("several people", () => {
  let world: WebWorld;
  let ann: Visitor;
  let bob: Visitor & { readonly userId: string };
  beforeAll(async () => {
    world = await startWebWorld({
      gate: {
        limits: { ttl: HOUR },
        thresholds: { bytes: 100 },
        audience: ({ tool }) => ({ roles: ["owner", "approver"], ...(tool === "bank.pay" ? { quorum: 2 } : {}) }),
      },
    });
    ann = await world.signedIn();
    bob = await joined(world, ann, { name: "Bob Miller", role: "approver" });
  }, 120_000);
  afterAll(async () => {
    await world.close();
    await closeBrowser();
  });

  const open = (approvalId: string, ...visitors: readonly Visitor[]) =>
    Promise.all(visitors.map(({ page }) => page.goto(`${world.url}/approvals/${approvalId}`)));

  it.each([
    ["en-GB", "Join", "This invitation was used already or is too old. Ask for a new one.", "Sign in"],
    ["zh-CN", "加入", "此邀请已使用过或已过期，请重新索取。", "登录"],
  ])("who come with a used invitation are led on to sign in: %s", async (locale, join, refused, signIn) => {
    const { body: invited } = await api(ann.page, "POST", "/v1/invitations", { role: "member" });
    const accepted = await fetch(`${world.url}/v1/invitations/accept`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: world.url },
      body: JSON.stringify({ token: new URL(invited.url).hash.slice("#t=".length), name: "Eve" }),
    });
    expect(accepted.status).toBe(200);
    const { page } = await world.device({ locale });
    await page.goto(invited.url);
    await page.getByRole("textbox").fill("Mallory");
    await button(page, join).click();
    await page.getByText(refused).waitFor();
    expect(await page.getByRole("textbox").count(), "there is nothing to fill in any more").toBe(0);
    await page.getByRole("link", { name: signIn }).click();
    await page.waitForURL(`${world.url}/sign-in`);
  });

  it("hand a question over, and the other hears who decided it and where", async () => {
    const { approvalId } = await world.ask("calendar.create", EVENT);
    await open(approvalId, ann, bob);
    await button(ann.page, "More").click();
    await ann.page.getByRole("menuitem", { name: "Hand over" }).click();
    const dialog = ann.page.getByRole("dialog", { name: "Hand over" });
    await dialog.getByLabel("Hand over to").selectOption("Bob Miller");
    await dialog.getByLabel(/^Note/).fill("You know the place better.");
    await button(ann.page, "Hand over").click();
    await ann.page.getByText("Handed over to Bob Miller.").first().waitFor();
    await bob.page.getByText("Owner left this to Bob Miller.").waitFor();
    await (await armed(bob.page, "Create 1 event")).click();
    await bar(ann.page)
      .getByText(/^Bob Miller approved this in the browser, /)
      .waitFor();
    await bar(bob.page)
      .getByText(/^You approved this in the browser, /)
      .waitFor();
    expect(await ann.page.getByRole("button", { name: "Create 1 event" }).count()).toBe(0);
  });

  it("tell whoever comes second that somebody was first, in a terminal too", async () => {
    const begun = await api(ann.page, "POST", "/v1/auth/cli/begin", { client: "countersign on a laptop" });
    await ann.page.goto(`${world.url}/cli`);
    await ann.page.getByLabel("The code that the terminal shows").fill(begun.body.userCode);
    await button(ann.page, "Next").click();
    await ann.page.getByText("“countersign on a laptop” wants to act as you in a terminal.").waitFor();
    await button(ann.page, "Yes, sign it in").click();
    await ann.page.getByText("Done. You can close this page.").waitFor();
    const { token } = await signedInTerminal(ann.page, begun.body.deviceCode);
    const { approvalId, card } = await world.ask("calendar.create", { ...EVENT, title: "By terminal" });
    await open(approvalId, bob);
    await armed(bob.page, "Create 1 event");
    const decided = await fetch(`${world.url}/v1/approvals/${approvalId}/decision`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ decision: "deny", toolCallHash: card.toolCallHash, reason: "Not today." }),
    });
    expect(decided.status, await decided.text()).toBe(200);
    await bar(bob.page)
      .getByText(/^Owner denied this in a terminal, /)
      .waitFor();
    await bar(bob.page).getByText("Reason: Not today.").waitFor();
  });

  it("refuse a terminal that nobody knows", async () => {
    const begun = await api(ann.page, "POST", "/v1/auth/cli/begin", { client: "somebody else" });
    await ann.page.goto(`${world.url}/cli/${begun.body.userCode}`);
    await button(ann.page, "No, refuse it").click();
    await ann.page.getByText("Refused. The terminal is not signed in.").waitFor();
    const polled = await api(ann.page, "POST", "/v1/auth/cli/poll", { deviceCode: begun.body.deviceCode });
    expect(polled.body.token).toBeUndefined();
  });

  it("both have to say yes where two are asked for, and a yes can be taken back until then (I10)", async () => {
    const before = world.ran.length;
    const { approvalId } = await world.ask("bank.pay", { amount: 120, payee: "ACME", pin: "2468" });
    await open(approvalId, ann, bob);
    const pay = async ({ page }: Visitor) => {
      await (await armed(page, "Spend 120 EUR")).click();
      await (await armed(page, "Really: Spend 120 EUR")).click();
    };
    await pay(ann);
    await ann.page.getByText("Your yes is counted: 1 of 2.").waitFor();
    await bob.page.getByText("1 of 2 have approved. So far: Owner.").waitFor();
    await button(ann.page, "Take my yes back").click();
    await bob.page.getByText("0 of 2 have approved.").waitFor();
    await pay(bob);
    await bob.page.getByText("Your yes is counted: 1 of 2.").waitFor();
    expect(world.ran).toHaveLength(before);
    await pay(ann);
    for (const { page } of [ann, bob]) await bar(page).getByText("Done once").waitFor();
    expect(world.ran).toHaveLength(before + 1);
  });

  it("cannot be made to approve what has just changed: with an edit of the other, Approve is inert at once (attack F4)", async () => {
    const before = world.ran.length;
    const { approvalId } = await world.ask("bank.pay", { amount: 30, payee: "ACME", pin: "2468" });
    await open(approvalId, ann, bob);
    await armed(ann.page, "Spend 30 EUR");
    // From now on the page presses in the very moment in which another amount is drawn.
    await ann.page.evaluate(() => {
      const caught = new Promise<string | null>((resolve) => {
        const watching = new MutationObserver(() => {
          const now = [...document.querySelectorAll("button")].find(({ innerText }) => innerText === "Spend 29 EUR");
          if (now === undefined) return;
          now.click();
          watching.disconnect();
          resolve(now.getAttribute("aria-disabled"));
        });
        watching.observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      Object.assign(globalThis, { caught });
    });
    await bob.page.evaluate(async (path) => {
      const { toolCallHash } = (await (await fetch(path)).json()) as { toolCallHash: string };
      const answer = { decision: "approve", toolCallHash, args: { amount: 29, payee: "ACME", pin: "2468" } };
      const headers = { "content-type": "application/json" };
      const { ok, status } = await fetch(`${path}/decision`, { method: "POST", headers, body: JSON.stringify(answer) });
      if (!ok) throw new Error(String(status));
    }, `${world.url}/v1/approvals/${approvalId}`);
    const inert = await ann.page.evaluate(() => (globalThis as unknown as { caught: Promise<string | null> }).caught);
    expect(inert).toBe("true");
    await ann.page.getByText(/^1 of 2 have approved\./).waitFor();
    expect(world.ran).toHaveLength(before);
  });

  it("see a masked value only after asking for it, which the log says (attack A10)", async () => {
    const { approvalId } = await world.ask("bank.pay", { amount: 7, payee: "ACME", pin: "0O-l1I-secret" });
    await open(approvalId, ann);
    await ann.page
      .getByText(/hidden: 13 characters/)
      .first()
      .waitFor();
    expect(await ann.page.locator("body").innerText()).not.toContain("0O-l1I-secret");
    await button(ann.page, "Reveal").click();
    await ann.page.getByText("0O-l1I-secret").waitFor();
    await ann.page.goto(`${world.url}/audit/${approvalId}`);
    await ann.page.getByText("Hidden value revealed").waitFor();
    await ann.page.getByText("The chain verifies").waitFor();
  });

  it("are told when the agent withdrew, and when the requester cancelled", async () => {
    const withdrawn = await world.ask("calendar.create", { ...EVENT, title: "Withdrawn" });
    await open(withdrawn.approvalId, bob);
    await armed(bob.page, "Create 1 event");
    await world.gate.cancel({ approvalId: withdrawn.approvalId }, world.gate.caller, "no need any more");
    await bar(bob.page).getByText("Withdrawn by the requester. Nothing ran.").waitFor();
    const cancelled = await world.ask("calendar.create", { ...EVENT, title: "Cancelled" });
    await open(cancelled.approvalId, ann, bob);
    await button(ann.page, "Cancel").click();
    await button(ann.page, "Cancel the request").click();
    await bar(ann.page).getByText("Denied. Nothing ran.").waitFor();
    await bar(bob.page)
      .getByText(/^Owner denied this/)
      .waitFor();
  });

  it("settle what nobody can tell about, and release what was held back", async () => {
    for (const [says, outcome] of [
      ["It did run", "Done once"],
      ["It did not run", "Approved, but it failed"],
    ] as const) {
      const { approvalId } = await world.ask("backup.run", { disk: says });
      await open(approvalId, ann);
      await (await armed(ann.page, "Back up")).click();
      const really = ann.page.getByRole("button", { name: "Really: Back up" });
      if (await really.isVisible()) await (await armed(ann.page, "Really: Back up")).click();
      await bar(ann.page).getByText("We cannot tell whether it ran.").waitFor();
      await button(ann.page, says).click();
      await bar(ann.page).getByText(outcome).waitFor();
    }
    const held = await world.gate.submit({ tool: "report.read", args: { month: "May" } }, world.gate.caller);
    expect(held).toMatchObject({ type: "succeeded", withheld: true });
    await open(held.approvalId ?? "", ann);
    await button(ann.page, "Release the result").click();
    await bar(ann.page).getByText("What the tool returned").click();
    await bar(ann.page)
      .getByText(/very much very much/)
      .waitFor();
  });

  it("join by an invitation that works once, and decide nothing before the owner has seen who came", async () => {
    await ann.page.goto(`${world.url}/settings/people`);
    await ann.page.getByLabel("Role", { exact: true }).selectOption("Approver");
    await button(ann.page, "Invite somebody").click();
    const link = await ann.page.getByText(/\/join#t=/).innerText();
    const cleo = await world.device();
    await cleo.page.goto(link);
    await cleo.page.getByLabel("Your name").fill("Cleo");
    // The token stays in no history.
    expect(cleo.page.url()).toBe(`${world.url}/join`);
    await button(cleo.page, "Join").click();
    await cleo.page.getByRole("heading", { name: "Inbox" }).waitFor();
    const again = await world.device();
    await again.page.goto(link);
    await again.page.getByLabel("Your name").fill("Mallory");
    await button(again.page, "Join").click();
    await again.page.getByText("This invitation was used already or is too old.").waitFor();
    expect((await api(cleo.page, "GET", "/v1/me")).body.role).toBe("member");
    await ann.page.reload();
    const row = ann.page.getByRole("listitem").filter({ hasText: "Cleo" });
    await row.getByText("Approver: not confirmed yet").waitFor();
    await row.getByRole("button", { name: "Confirm" }).click();
    await expect.poll(async () => (await api(cleo.page, "GET", "/v1/me")).body.role).toBe("approver");
    await row.getByRole("button", { name: "Remove" }).click();
    await said(ann.page, "Remove");
    await row.waitFor({ state: "detached" });
    expect([ann, bob, cleo].flatMap(({ wrongs }) => wrongs)).toEqual([]);
    expect((await world.gate.verify(PERSON.workspaceId)).ok).toBe(true);
  });
});
