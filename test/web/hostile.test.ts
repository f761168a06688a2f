import { afterAll, describe, expect, it } from "vitest";
import { hostileTools, naughtyStrings, showsEverything, someOf, TRICKS } from "./hostile-text.js";
import { openHousehold } from "./household.js";
import { api, askForToken, joined, newAgent } from "./people.js";
import { closeBrowser, HAS_BROWSER, openWebWorld, withAuthenticator } from "./world.js";

afterAll(closeBrowser);

const strings = naughtyStrings();
const NAME = someOf(strings, 90, { asName: true });

describe.runIf(HAS_BROWSER)("hostile text in every field", () => {
  it("runs nothing, loads nothing, and hides nothing (attacks A5, A6, A8)", { timeout: 300_000 }, async () => {
    const world = await openWebWorld({ gate: { tools: hostileTools(strings), limits: { ttl: 3_600_000 } } });
    const owner = await world.signedIn();
    const { page, wrongs } = owner;
    const agent = { agentId: someOf(TRICKS, 190), sessionId: `s ${someOf(TRICKS, 150)}` };
    const ask = (tool: string, at: number) =>
      world.ask(
        tool,
        {
          text: strings.slice(at).join("\n"),
          list: strings.slice(at, at + 40),
          [TRICKS[7]]: at,
        },
        {
          summary: someOf(strings.slice(at), 270),
          runId: someOf(TRICKS, 100),
          alternatives: [{ tool: "trick.reads", args: { text: someOf(strings, 300) } }],
        },
        { ...agent, lineage: [someOf(TRICKS, 90)] },
      );
    const decide = async ({ approvalId, card }: Awaited<ReturnType<typeof ask>>, answer: object) => {
      const body = { toolCallHash: card.toolCallHash, ...answer };
      expect((await api(page, "POST", `/v1/approvals/${approvalId}/decision`, body)).status).toBe(200);
    };
    const waits = await ask("trick.works", 0);
    const similar = await ask("trick.works", 1);
    const works = await ask("trick.works", 2);
    const fails = await ask("trick.fails", 3);
    const denied = await ask("trick.works", 4);
    const bob = await joined(world, owner, { name: NAME, role: "approver" });
    await decide(works, { decision: "approve", scope: { kind: "uses", uses: 3 } });
    await decide(fails, { decision: "approve" });
    await decide(denied, { decision: "deny", reason: someOf(strings, 990) });
    const { apiKey } = await newAgent(page, { name: NAME, scopes: ["trick.*"], devices: "approved" });
    const asked = await askForToken(world.url, apiKey, NAME);
    expect(asked.status).toBeLessThan(300);
    const begun = await fetch(`${world.url}/v1/auth/cli/begin`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client: NAME }),
    });
    const { userCode } = (await begun.json()) as { userCode: string };

    const paths = [
      ["/", page.getByRole("list").getByRole("link")],
      [`/approvals/${works.approvalId}`, page.getByText("Done once")],
      [`/approvals/${fails.approvalId}`, page.getByText("Approved, but it failed")],
      [`/approvals/${denied.approvalId}`, page.getByText("Denied. Nothing ran.")],
      [`/group/${waits.approvalId}`, page.getByRole("heading", { name: "2 similar actions" })],
      [`/audit/${works.approvalId}`, page.getByText("From request to receipt")],
      [`/audit/${denied.approvalId}`, page.getByText("Reason", { exact: true })],
      ["/history", page.getByRole("link").getByText("Failed", { exact: true })],
      ["/settings/apps", page.getByText("Minutes to decide while you are away")],
      ["/settings/grants", page.getByRole("button", { name: "Take back" })],
      ["/settings/people", page.getByRole("button", { name: "Remove" })],
      ["/settings/developer", page.getByRole("button", { name: "Approve" })],
      [`/cli/${userCode}`, page.getByRole("button", { name: "Yes, sign it in" })],
    ] as const;
    for (const [path, there] of paths) {
      await page.goto(`${world.url}${path}`);
      await there.first().waitFor();
      // Whatever is folded or behind a lid is looked at too.
      const folds = page.getByRole("button", { name: /^Show all/ });
      while ((await folds.count()) > 0) await folds.first().click();
      for (const lid of await page.locator("main summary").all()) await lid.click();
      await showsEverything(page, path);
    }

    const card = `${world.url}/approvals/${similar.approvalId}`;
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const item = async (name: string) => {
      await button("More").click();
      await page.getByRole("menuitem", { name }).click();
    };
    const dialogs = {
      edit: () => button("Edit").click(),
      json: async () => {
        await button("Edit").click();
        await page.getByRole("tab", { name: "JSON" }).click();
        await page.getByRole("textbox", { name: "JSON" }).waitFor();
      },
      deny: () => button("Cancel").click(),
      less: async () => {
        await button("Ask me less…").click();
        await page.getByRole("radio").first().waitFor();
      },
      "dry run": async () => {
        await item("Dry run");
        await page.getByText("without any effect").waitFor();
      },
      "hand over": async () => {
        await item("Hand over");
        await page.getByLabel("Hand over to").waitFor();
      },
    };
    for (const [name, open] of Object.entries(dialogs)) {
      await page.goto(card);
      await page.getByRole("article").getByRole("heading").first().waitFor();
      await open();
      await showsEverything(page, name);
    }
    await bob.page.goto(`${world.url}/settings/people`);
    await bob.page.getByText(TRICKS[0]).first().waitFor();
    await showsEverything(bob.page, "as somebody with such a name");

    await withAuthenticator(owner.context, page);
    await page.goto(`${world.url}/settings/security`);
    await page.getByLabel("Name").fill(NAME);
    await button("Add a passkey").click();
    await button("Remove").waitFor();
    await showsEverything(page, "/settings/security");
    expect([...wrongs, ...bob.wrongs]).toEqual([]);
  });

  it("is only text in a conversation, too", { timeout: 120_000 }, async () => {
    const home = await openHousehold({ demo: true });
    const { page, wrongs } = await home.signedIn();
    await page.goto(`${home.url}/chat`);
    const messages = [`Add a task: ${someOf(TRICKS, 150)}`, ...TRICKS.slice(0, 4), someOf(strings, 3_000)];
    const said = page.getByRole("log").getByText("Assistant", { exact: true });
    for (const [index, message] of messages.entries()) {
      await page.getByLabel("Write to the assistant").fill(message);
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await expect.poll(() => said.count(), { timeout: 20_000 }).toBeGreaterThan(index);
    }
    await showsEverything(page, "/chat");
    await page.goto(`${home.url}/`);
    await page.getByRole("region", { name: "Demo with invented data" }).waitFor();
    await showsEverything(page, "/");
    expect(wrongs).toEqual([]);
  });
});
