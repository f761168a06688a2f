import { afterAll, describe, expect, it } from "vitest";
import { closeBrowser, HAS_BROWSER, openWebWorld, withAuthenticator } from "./world.js";

afterAll(closeBrowser);

const EVENT = { title: "Lunch", start: "2026-11-20T12:00", guests: [] };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describe.runIf(HAS_BROWSER)("a link", () => {
  it.each([
    ["on a desk", {}, "There is no such approval, or it is not for you.", "Go to the inbox"],
    ["on a phone, in Chinese", { ...PHONE, locale: "zh-CN" }, "没有此审批，或者您无权查看。", "前往待处理"],
  ])("to an approval says so when there is none for these eyes: %s", async (_, look, says, back) => {
    const { signedIn, ask, url } = await openWebWorld();
    await ask("calendar.create", EVENT);
    const { page } = await signedIn(look);
    for (const place of ["approvals", "group"]) {
      await page.goto(`${url}/${place}/nobody-knows-it`);
      await page.getByText(says).waitFor();
    }
    await page.getByRole("link", { name: back }).click();
    await page.waitForURL(`${url}/`);
  });

  it("to the chat says that there is nothing where no assistant is mounted", async () => {
    const { signedIn, url } = await openWebWorld();
    const { page } = await signedIn();
    await page.goto(`${url}/chat`);
    await page.getByRole("heading", { name: "There is nothing at this address." }).waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
  });

  it("to a group that has come apart leads to the card", async () => {
    const { signedIn, ask, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page } = await signedIn();
    await page.goto(`${url}/group/${approvalId}`);
    await page.getByRole("heading", { name: "Create the event Lunch?" }).waitFor();
    expect(page.url()).toBe(`${url}/approvals/${approvalId}`);
  });

  it("to an approval is followed to its end by whoever has to sign in first, and by whom a session has ended", async () => {
    const { device, served, ask, url } = await openWebWorld();
    const { approvalId } = await ask("calendar.create", EVENT);
    const { page, context } = await device();
    await withAuthenticator(context, page);
    await page.goto(await served.signInLink());
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    const signIn = page.getByRole("button", { name: "Sign in with a passkey" });
    const question = page.getByRole("heading", { name: "Create the event Lunch?" });

    await context.clearCookies();
    await page.goto(`${url}/approvals/${approvalId}`);
    await signIn.waitFor();
    expect(await page.getByText("You are signed out.").count()).toBe(0);
    await signIn.click();
    await question.waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel(/^Title/).fill("Tea");
    await context.clearCookies();
    await page.getByRole("button", { name: "See what changes" }).click();
    await page.getByText("You are signed out.").waitFor();
    await signIn.click();
    await question.waitFor();
    expect(page.url()).toBe(`${url}/approvals/${approvalId}`);
  });
});
