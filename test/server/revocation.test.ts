import { describe, expect, it, onTestFinished } from "vitest";
import { createGate, defineTool, memoryStore } from "../../src/index.js";
import { type Served, serve } from "../../src/server/index.js";
import { tempFile } from "../identity/world.js";

const WRITE = { tool: "notes.share", args: { to: "ann" } };

/** Two servers over one file of people and keys, each with an owner's eyes on the same workspace. */
async function openTwo() {
  const identity = tempFile();
  const open = async () => {
    const tool = defineTool({ name: "notes.share", effect: "write" });
    const gate = createGate({ store: memoryStore(), tools: [tool] });
    const served = await serve(gate, { port: 0, web: false, identity });
    onTestFinished(() => served.close());
    return served;
  };
  const [a, b] = [await open(), await open()];
  const link = new URL(await a.signInLink()).hash.slice("#t=".length);
  const { session } = await a.service.identity.signInLinks.redeem(link);
  const owner = await a.service.identity.sessions.enter(session, "local");
  if (owner === undefined) throw new Error("The owner is not a member.");
  return { a, b, owner };
}

async function personAt(a: Served, owner: Awaited<ReturnType<typeof openTwo>>["owner"]) {
  const { identity, doors } = a.service;
  const invitation = await identity.invitations.create(owner, "member");
  const joined = await identity.invitations.acceptAsNew(invitation.token, { name: "Ann" });
  const person = await identity.sessions.enter(joined.session, owner.workspaceId);
  if (person === undefined) throw new Error("Ann is not a member.");
  const agent = await identity.agents.create(person, { name: "bot", scopes: ["notes.*"], devices: "none" });
  const key = { authorization: `Bearer ${agent.apiKey}` };
  const cookie = { cookie: `${doors.cookie}=${joined.token}` };
  return { ...joined, person, agent, key, cookie };
}

const ask = async ({ url }: Served, headers: Record<string, string>) => {
  const init = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
  return (await fetch(`${url}/v1/calls`, { ...init, body: JSON.stringify(WRITE) })).status;
};
const look = async ({ url }: Served, headers: Record<string, string>) =>
  (await fetch(`${url}/v1/approvals`, { headers })).status;

describe("a right that both servers have just seen", () => {
  it("is a key: revoked at one, it works at neither with the next request (attack C10)", async () => {
    const { a, b, owner } = await openTwo();
    const { person, key, agent } = await personAt(a, owner);
    expect([await ask(a, key), await ask(b, key), await ask(a, key)]).toEqual([202, 202, 202]);
    await a.service.identity.apiKeys.revoke(person, agent.keyId);
    expect([await ask(a, key), await ask(b, key)]).toEqual([401, 401]);
  });

  it("is a session: revoked at one, it opens neither with the next request (attack C10)", async () => {
    const { a, b, owner } = await openTwo();
    const { session, cookie } = await personAt(a, owner);
    expect([await look(a, cookie), await look(b, cookie), await look(a, cookie)]).toEqual([200, 200, 200]);
    await b.service.identity.sessions.revoke(session, session.sessionId);
    expect([await look(a, cookie), await look(b, cookie)]).toEqual([401, 401]);
  });

  it("is a membership: taken away at one, the person and their agents are out at both (attack C10)", async () => {
    const { a, b, owner } = await openTwo();
    const { person, key, cookie } = await personAt(a, owner);
    expect([await look(a, cookie), await look(b, cookie)]).toEqual([200, 200]);
    expect([await ask(a, key), await ask(b, key)]).toEqual([202, 202]);
    await b.service.identity.members.remove(owner, person.userId);
    expect([await ask(a, key), await ask(b, key)]).toEqual([401, 401]);
    expect([await look(a, cookie), await look(b, cookie)]).not.toContain(200);
  });
});
