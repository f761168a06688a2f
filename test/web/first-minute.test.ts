import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate } from "countersign";
import { serve } from "countersign/server";
import { sqliteStore } from "countersign/stores/sqlite";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { assistantMounts, createAssistant } from "../../assistant/src/index.js";
import { armed, BUILT, closeBrowser, HAS_BROWSER, visitorsOf } from "./world.js";

afterAll(closeBrowser);

const OWNER = { kind: "person", userId: "local", workspaceId: "local" } as const;

/** What `npm start` opens on an empty database: everything on disk, and the demo agent waiting. */
async function openFirstMinute() {
  const folder = await mkdtemp(join(tmpdir(), "countersign-first-"));
  const gate = createGate({ store: sqliteStore(join(folder, "engine.db")) });
  const assistant = createAssistant({ gate, folder, members: () => [{ userId: "local", name: "Local" }] });
  const identity = join(folder, "identity.db");
  const served = await serve(gate, { port: 0, web: BUILT, identity, mounts: assistantMounts(assistant) });
  await assistant.demo.start({ ...OWNER, userId: gate.caller.userId, workspaceId: gate.caller.workspaceId });
  const { closeVisitors, ...visitors } = visitorsOf(served);
  onTestFinished(async () => {
    await closeVisitors();
    await assistant.close();
    await served.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { ...visitors, gate, assistant, workspaceId: gate.caller.workspaceId };
}

describe.runIf(HAS_BROWSER)("the first minute", () => {
  it("shows a demo that is marked as one, reacts, stands on a verified chain, and goes with one click", async () => {
    const { signedIn, gate, assistant, workspaceId } = await openFirstMinute();
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
    const person = { kind: "person", userId: gate.caller.userId, workspaceId } as const;
    expect(await gate.pending(person)).toEqual([]);
    expect(assistant.demo.lines(workspaceId)).toEqual([]);
    await footer.getByRole("button", { name: /^Audit chain verified/ }).click();
    expect((await gate.verify(workspaceId)).ok).toBe(true);
    expect(wrongs).toEqual([]);
  });
});
