import { afterAll, describe, expect, it } from "vitest";
import { openHousehold } from "./household.js";
import { armed, closeBrowser, HAS_BROWSER } from "./world.js";

afterAll(closeBrowser);

const OWNER = { kind: "person", userId: "ann", workspaceId: "home" } as const;

describe.runIf(HAS_BROWSER)("the first minute", () => {
  it("shows a demo that is marked as one, reacts, stands on a verified chain, and goes with one click", async () => {
    // What `npm start` opens on an empty database.
    const { signedIn, gate, assistant } = await openHousehold({ onDisk: true, demo: true });
    const { page, wrongs } = await signedIn();
    const demo = page.getByRole("region", { name: "Demo with invented data" });
    await demo.waitFor();
    const footer = page.getByRole("contentinfo");
    await footer.getByText(/^Audit chain verified: \d+ entries$/).waitFor();
    await footer.getByText("Killing the server loses nothing.").waitFor();
    const waiting = page.getByRole("region", { name: "What waits" }).getByRole("listitem").getByRole("link");
    await expect.poll(() => waiting.count()).toBe(3);
    await page.getByRole("link", { name: /gutters/ }).click();
    await (await armed(page, /task/i)).click();
    await demo.getByText("The task is on your list.").waitFor();
    await demo.getByRole("button", { name: "Remove the demo" }).click();
    await page.getByText("The demo and its data are gone.").first().waitFor();
    await demo.waitFor({ state: "detached" });
    expect(await gate.pending(OWNER)).toEqual([]);
    expect(assistant.demo.lines(OWNER.workspaceId)).toEqual([]);
    await footer.getByRole("button", { name: /^Audit chain verified/ }).click();
    expect((await gate.verify(OWNER.workspaceId)).ok).toBe(true);
    expect(wrongs).toEqual([]);
  });
});
