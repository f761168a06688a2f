import { afterAll, describe, expect, it } from "vitest";
import { openHousehold } from "./household.js";
import { armed, closeBrowser, HAS_BROWSER } from "./world.js";

afterAll(closeBrowser);

describe.runIf(HAS_BROWSER)("talking to the assistant", () => {
  it("draws what it wants to do as a card in the conversation, and turns it into its outcome there", async () => {
    const { signedIn } = await openHousehold();
    const { page, wrongs } = await signedIn();
    await page.getByRole("link", { name: "Chat" }).click();
    const say = async (text: string) => {
      await page.getByLabel("Write to the assistant").fill(text);
      await page.getByRole("button", { name: "Send", exact: true }).click();
    };
    await say("Add a task: buy milk");
    // A call that did not ask is a line with its result folded away.
    await page.getByText(/^Tool call: /).waitFor();
    await page.getByRole("log").locator("pre").waitFor({ state: "attached" });
    await say("Delete the task buy milk");
    await page.getByText("waits for you").waitFor();
    await (await armed(page, /^(Hold|Delete|Confirm)/)).hover();
    await page.mouse.down();
    await page.getByRole("log").getByText("Done once").waitFor();
    await page.mouse.up();
    expect(await page.getByText("waits for you").count()).toBe(0);
    expect(wrongs).toEqual([]);
  });

  it("takes “cancel” and “yes” in the conversation as answers to what waits there", async () => {
    const { signedIn, url } = await openHousehold();
    const { page } = await signedIn();
    await page.goto(`${url}/chat`);
    const log = page.getByRole("log");
    const say = async (text: string) => {
      await page.getByLabel("Write to the assistant").fill(text);
      await page.getByRole("button", { name: "Send", exact: true }).click();
    };
    await say("Add a task: buy milk");
    await page.getByText(/^Tool call: /).waitFor();
    await say("Delete the task buy milk");
    await page.getByText("Waits for you").waitFor();
    await page.getByText(/^“yes” and “cancel” answer what waits\./).waitFor();
    await say("cancel");
    await log.getByText("Withdrawn by the requester. Nothing ran.").waitFor();
    // What cannot be undone is not given by a word: it leads to the button.
    await say("Delete the task buy milk");
    await page.getByText("Waits for you").waitFor();
    const hold = await armed(page, /^Hold/);
    await say("yes");
    expect(await hold.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(await log.getByText("Done once").count()).toBe(0);
    await say("cancel");
    await expect.poll(() => log.getByText("Withdrawn by the requester. Nothing ran.").count()).toBe(2);
    // What was only half said asks too, and weighs no more than a word.
    await say("I gotta call mom");
    await page.getByText("Waits for you").waitFor();
    await armed(page, /task|reminder|Confirm/i);
    await say("Yes!");
    await log.getByText("Done once").waitFor();
  });

  it("draws similar calls of one turn together, answers all that were shown at once, and then each as its outcome", async () => {
    const { signedIn, url } = await openHousehold();
    const { page, wrongs } = await signedIn();
    await page.goto(`${url}/chat`);
    const log = page.getByRole("log");
    await page.getByLabel("Write to the assistant").fill("I gotta call mom. I gotta call dad");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("2 similar actions").waitFor();
    expect(await log.getByText("Waits for you").count()).toBe(1);
    await (await armed(page, "Approve all 2")).click();
    await expect.poll(() => log.getByText("Done once").count()).toBe(2);
    expect(await log.getByText("2 similar actions").count()).toBe(0);
    expect(wrongs).toEqual([]);
  });
});
