import type { BrowserContextOptions, Page } from "playwright-core";
import { TestDevice } from "../identity/world.js";
import type { Visitor, WebWorld } from "./world.js";

interface Answered {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the API says
  readonly body: any;
}

/** Asks the API as the page's own scripts do, with its cookie and its origin. */
export function api(page: Page, method: string, path: string, body?: object): Promise<Answered> {
  return page.evaluate(
    async ([verb, at, sent]) => {
      const response = await fetch(at, {
        method: verb,
        ...(sent === undefined ? {} : { headers: { "content-type": "application/json" }, body: sent }),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
    },
    [method, path, body === undefined ? undefined : JSON.stringify(body)] as const,
  );
}

/** Another person in a browser of their own: invited by the owner, called as they like, and confirmed. */
export async function joined(
  world: WebWorld,
  owner: Visitor,
  { name, role }: { readonly name: string; readonly role: "approver" | "member" },
  look: BrowserContextOptions = {},
): Promise<Visitor & { readonly userId: string }> {
  const invited = await api(owner.page, "POST", "/v1/invitations", { role });
  const theirs = await world.device(look);
  await theirs.page.goto(invited.body.url);
  await theirs.page.getByRole("textbox").fill(name);
  await theirs.page.getByRole("button").click();
  await theirs.page.getByRole("heading", { level: 1, name: /^(Inbox|待处理)$/ }).waitFor();
  const { body: me } = await api(theirs.page, "GET", "/v1/me");
  const confirmed = await api(owner.page, "POST", `/v1/members/${me.userId}/confirm`, {});
  if (confirmed.status >= 300) throw new Error(`${name} was not confirmed: ${JSON.stringify(confirmed)}`);
  return { ...theirs, userId: me.userId as string };
}

/** Says yes to what a dialog asks, by the button that names the act. */
export async function said(page: Page, verb: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: verb, exact: true }).click();
}

/** Another agent of the owner's, with a key of its own. */
export async function newAgent(
  owner: Page,
  agent: { readonly name: string; readonly scopes: readonly string[]; readonly devices: "none" | "approved" },
): Promise<{ readonly agentId: string; readonly apiKey: string }> {
  return (await api(owner, "POST", "/v1/agents", agent)).body;
}

/** A device that has the key asks to be let in: the first time it waits for the owner. */
export function askForToken(url: string, apiKey: string, label: string, device = new TestDevice()): Promise<Response> {
  const htu = `${url}/v1/devices/token`;
  const dpop = device.proof(apiKey, Date.now(), { claims: { htu } });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", dpop };
  return fetch(htu, { method: "POST", headers, body: JSON.stringify({ label }) });
}
