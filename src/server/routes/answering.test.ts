import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SoftwareAuthenticator } from "../../../test/identity/software-authenticator.js";
import { ORIGIN, openServerWorld, type ServerWorld, type Visitor } from "../../../test/server/world.js";
import { defineTool } from "../../index.js";

interface Asked {
  readonly approvalId: string;
  readonly card: { readonly toolCallHash: string };
}

const MAIL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

async function ask({ agent }: ServerWorld, call: object = MAIL): Promise<Asked & { readonly http: Visitor }> {
  const { http } = await agent(["email.*", "tasks.*", "files.*"]);
  const { body } = await http.post<Asked>("/v1/calls", call);
  return { ...body, http };
}

/** A browser of the owner's whose session has just shown a passkey. */
async function withPasskey({ browser, visitor }: ServerWorld) {
  const passkey = new SoftwareAuthenticator(ORIGIN);
  const { body: options } = await browser.post("/v1/me/passkeys/begin");
  const added = await browser.post("/v1/me/passkeys/finish", { response: passkey.register(options as never) });
  const cookie = (added.headers.get("set-cookie") ?? "").split(";")[0] as string;
  return { passkey, browser: visitor({ origin: ORIGIN, cookie }) };
}

/** A file that can be put back, tried out and hides its key. */
function fileTools(ran: unknown[], restores: "R1" | "R3" = "R1") {
  const args = z.object({ path: z.string(), key: z.string() });
  return [
    defineTool({
      name: "files.move",
      effect: "write",
      riskTier: "R3",
      sensitive: ["key"],
      inputSchema: args,
      execute: (given) => (ran.push(["files.move", given]), { from: "/a" }),
      dryRun: ({ path }) => ({ would: `move ${path}` }),
      rollback: {
        note: "Move it back.",
        call: (given, result) => ({
          tool: "files.restore",
          args: { path: given.path, to: (result as { from: string }).from },
        }),
      },
    }),
    defineTool({
      name: "files.restore",
      effect: "write",
      riskTier: restores,
      inputSchema: z.object({ path: z.string(), to: z.string() }),
      execute: (given) => (ran.push(["files.restore", given]), null),
    }),
  ];
}

const MOVE = { tool: "files.move", args: { path: "/srv/x", key: "s3cret-value" } };

describe("what a person may do with a question over HTTP", () => {
  it("sees the card of an edit before giving it, and gives exactly that", async () => {
    const world = await openServerWorld();
    const { approvalId, card } = await ask(world);
    const args = { to: "bob@example.com", body: "hello" };
    const draft = await world.browser.post<{ card: { toolCallHash: string; diff: unknown[] } }>(
      `/v1/approvals/${approvalId}/draft`,
      { args },
    );
    expect(draft.body.card.diff).toHaveLength(1);
    const decision = { decision: "approve", toolCallHash: card.toolCallHash, args };
    const decided = await world.browser.post(`/v1/approvals/${approvalId}/decision`, decision);
    expect(decided.body).toMatchObject({ revision: 2, toolCallHash: draft.body.card.toolCallHash });
    expect(world.ran).toEqual([["email.send", args]]);
  });

  it("tries a call out without effect, bound to its hash and written down", async () => {
    const ran: unknown[] = [];
    const world = await openServerWorld({ tools: fileTools(ran) });
    const { approvalId, card } = await ask(world, MOVE);
    const tried = await world.browser.post(`/v1/approvals/${approvalId}/dry-run`);
    expect(tried.body).toMatchObject({ result: { would: "move /srv/x" }, toolCallHash: card.toolCallHash });
    const { body } = await world.browser.get<{ entries: { type: string }[] }>(`/v1/approvals/${approvalId}/timeline`);
    expect(body.entries.map(({ type }) => type)).toContain("approval.dry_run");
    expect(ran).toEqual([]);
  });

  it("shows one hidden value to who asks for it, after writing that down", async () => {
    const world = await openServerWorld({ tools: fileTools([]) });
    const { approvalId } = await ask(world, MOVE);
    const seen = await world.browser.get(`/v1/approvals/${approvalId}`);
    expect(JSON.stringify(seen.body)).not.toContain("s3cret-value");
    const revealed = await world.browser.post(`/v1/approvals/${approvalId}/reveal`, { label: "key" });
    expect(revealed.body).toMatchObject({ value: { text: "s3cret-value" } });
    const { body } = await world.browser.get<{ entries: { type: string }[] }>(`/v1/approvals/${approvalId}/timeline`);
    expect(body.entries.at(-1)).toMatchObject({ type: "value.revealed", says: { to: "local", label: "key" } });
  });

  it("hands a question over to somebody who may answer it, and to nobody else", async () => {
    const world = await openServerWorld();
    const max = await world.join("Max", "approver");
    const eve = await world.join("Eve", "member");
    const { approvalId, card } = await ask(world);
    const path = `/v1/approvals/${approvalId}/hand-over`;
    expect(await world.browser.post(path, { to: eve.userId })).toMatchObject({ body: { code: "user_mismatch" } });
    expect(await world.browser.post(path, { to: "usr_nobody" })).toMatchObject({ body: { code: "user_mismatch" } });
    expect(await eve.browser.post(path, { to: max.userId })).toMatchObject({ body: { code: "user_mismatch" } });
    const handed = await world.browser.post(path, { to: max.userId, note: "You know them" });
    expect(handed.body).toMatchObject({ approval: { handedTo: { userId: max.userId, by: "local" } } });
    const { body } = await max.browser.get<{ approvals: object[] }>("/v1/approvals");
    expect(body.approvals).toMatchObject([{ handedTo: { userId: max.userId } }]);
    const decision = { decision: "approve", toolCallHash: card.toolCallHash };
    expect((await max.browser.post(`/v1/approvals/${approvalId}/decision`, decision)).status).toBe(200);
  });

  it("undoes a call once, by a call that is gated like any other", async () => {
    const ran: unknown[] = [];
    const world = await openServerWorld({ tools: fileTools(ran) });
    const { approvalId, card, http } = await ask(world, MOVE);
    const undo = () => world.browser.post(`/v1/approvals/${approvalId}/undo`);
    expect(await undo()).toMatchObject({ status: 422, body: { code: "not_supported" } });
    const decision = { decision: "approve", toolCallHash: card.toolCallHash };
    await world.browser.post(`/v1/approvals/${approvalId}/decision`, decision);
    await http.get(`/v1/calls/${approvalId}?wait=5`);
    expect((await undo()).body).toMatchObject({ type: "succeeded" });
    expect((await undo()).body).toMatchObject({ type: "succeeded" });
    expect(ran.filter((each) => (each as unknown[])[0] === "files.restore")).toEqual([
      ["files.restore", { path: "/srv/x", to: "/a" }],
    ]);
  });

  it("asks anew for an undo that somebody denied, joins one that waits, and still undoes once", async () => {
    const ran: unknown[] = [];
    const world = await openServerWorld({ tools: fileTools(ran, "R3") });
    const { approvalId, card, http } = await ask(world, MOVE);
    const decide = (
      { approvalId: id, toolCallHash }: Asked["card"] & { readonly approvalId: string },
      decision: string,
    ) => world.browser.post(`/v1/approvals/${id}/decision`, { decision, toolCallHash });
    await decide({ approvalId, toolCallHash: card.toolCallHash }, "approve");
    await http.get(`/v1/calls/${approvalId}?wait=5`);
    const undo = async () => (await world.browser.post(`/v1/approvals/${approvalId}/undo`)).body as unknown as Asked;
    const asked = async () => {
      const { approvalId: id, card: shown } = await undo();
      return { approvalId: id, toolCallHash: shown.toolCallHash };
    };
    const first = await asked();
    expect((await asked()).approvalId).toBe(first.approvalId);
    await decide(first, "deny");
    const second = await asked();
    expect(second.approvalId).not.toBe(first.approvalId);
    expect((await asked()).approvalId).toBe(second.approvalId);
    await decide(second, "approve");
    await expect.poll(undo).toMatchObject({ type: "succeeded", approvalId: second.approvalId });
    expect(ran.filter((each) => (each as unknown[])[0] === "files.restore")).toHaveLength(1);
  });

  it("answers the highest risk by passkey over exactly this call, and a swapped call is refused (attack D11)", async () => {
    const world = await openServerWorld();
    const { approvalId, card } = await ask(world, { tool: "tasks.clear", args: { all: true } });
    const other = await ask(world, MAIL);
    const { passkey, browser } = await withPasskey(world);
    const decision = { decision: "approve", toolCallHash: card.toolCallHash };
    const bare = await browser.post(`/v1/approvals/${approvalId}/decision`, decision);
    expect(bare).toMatchObject({ status: 403, body: { code: "step_up_required" } });
    const begin = (id: string, hash: string) =>
      browser.post(`/v1/approvals/${id}/step-up`, { decision: "approve", toolCallHash: hash });
    const swapped = await begin(other.approvalId, other.card.toolCallHash);
    const forged = { ...decision, assertion: passkey.assert(swapped.body as never) };
    const refused = await browser.post(`/v1/approvals/${approvalId}/decision`, forged);
    expect(refused).toMatchObject({ status: 403, body: { code: "passkey_refused" } });
    const right = await begin(approvalId, card.toolCallHash);
    const proven = { ...decision, assertion: passkey.assert(right.body as never) };
    expect((await browser.post(`/v1/approvals/${approvalId}/decision`, proven)).status).toBe(200);
    const { body } = await browser.get<{ entries: { says: { assurance?: string; proof?: object } }[] }>(
      `/v1/approvals/${approvalId}/timeline`,
    );
    const proof = { decision: "approve", approvalId, toolCallHash: card.toolCallHash };
    expect(body.entries.find(({ says }) => says?.assurance === "passkey_over_hash")?.says).toMatchObject({ proof });
  });

  it("asks for the passkey also of a yes to the highest risk in a batch, of one or by an edit (attack D11)", async () => {
    const world = await openServerWorld();
    const { approvalId, card } = await ask(world, { tool: "tasks.clear", args: { all: true } });
    const other = await ask(world, MAIL);
    const { browser } = await withPasskey(world);
    const danger = { approvalId, toolCallHash: card.toolCallHash, decision: "approve" };
    const mail = { approvalId: other.approvalId, toolCallHash: other.card.toolCallHash, decision: "approve" };
    const send = async (decisions: readonly object[]) =>
      (await browser.post<{ results: { code?: string; state?: string }[] }>("/v1/approvals/decisions", { decisions }))
        .body.results;
    expect(await send([danger])).toMatchObject([{ code: "step_up_required" }]);
    expect(await send([danger, mail])).toMatchObject([{ code: "invalid_decision" }, { approvalId: other.approvalId }]);
    expect(world.ran).toEqual([["email.send", MAIL.args]]);
  });

  it("suggests grants that fit, says what one covers, and gives it only to a fresh session", async () => {
    const world = await openServerWorld();
    const { approvalId, card, http } = await ask(world);
    const { body } = await world.browser.get<{ suggestions: { scope: object; sentence: string }[] }>(
      `/v1/approvals/${approvalId}/grant-suggestions`,
    );
    const pins = [{ path: "to", op: "host", value: "example.com" }];
    expect(body.suggestions.map(({ scope }) => scope)).toEqual([
      { kind: "session" },
      { kind: "minutes", minutes: 15, pins },
      { kind: "uses", uses: 5, pins },
    ]);
    const scope = body.suggestions.at(-1)?.scope;
    const preview = await world.browser.post(`/v1/approvals/${approvalId}/grant-preview`, { scope });
    expect(preview.body).toMatchObject({ text: body.suggestions.at(-1)?.sentence });
    const { passkey, browser } = await withPasskey(world);
    await world.database.run("UPDATE identity_session SET strong_auth_at = 0");
    const decision = { decision: "approve", toolCallHash: card.toolCallHash, scope };
    const stale = await browser.post(`/v1/approvals/${approvalId}/decision`, decision);
    expect(stale).toMatchObject({ status: 403, body: { code: "fresh_passkey_required", path: "grant.created" } });
    const { body: options } = await browser.post("/v1/auth/elevate/begin");
    const again = await browser.post("/v1/auth/elevate/finish", { response: passkey.assert(options as never) });
    const fresh = world.visitor({
      origin: ORIGIN,
      cookie: (again.headers.get("set-cookie") ?? "").split(";")[0] as string,
    });
    expect((await fresh.post(`/v1/approvals/${approvalId}/decision`, decision)).body).toHaveProperty("grant.grantId");
    const { body: listed } = await fresh.get<{ grants: { grantId: string }[] }>("/v1/grants");
    expect(listed.grants).toHaveLength(1);
    const next = { ...MAIL, args: { to: "bea@example.com", body: "more" } };
    expect((await http.post("/v1/calls", next)).body).toMatchObject({ type: "succeeded" });
    expect((await fresh.send("DELETE", `/v1/grants/${listed.grants[0]?.grantId}`)).status).toBe(204);
    expect((await http.post("/v1/calls", { ...MAIL, args: { to: "c@example.com", body: "x" } })).status).toBe(202);
  });

  it("groups similar questions and answers exactly what was shown", async () => {
    const world = await openServerWorld();
    const { http } = await ask(world);
    await http.post("/v1/calls", { ...MAIL, args: { to: "bob@example.com", body: "hi" } });
    const { body } = await world.browser.get<{ groups: { shown: { approvalId: string; toolCallHash: string }[] }[] }>(
      "/v1/approvals/groups",
    );
    expect(body.groups).toHaveLength(1);
    const decisions = body.groups[0]?.shown.map((shown) => ({ ...shown, decision: "approve" }));
    const decided = await world.browser.post<{ results: object[] }>("/v1/approvals/decisions", { decisions });
    expect(decided.body.results).toHaveLength(2);
  });
});
