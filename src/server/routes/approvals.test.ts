import { describe, expect, it } from "vitest";
import { openServerWorld } from "../../../test/server/world.js";

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

describe("an approval over HTTP", () => {
  it("is asked for by an agent, decided by a person, run once, and told to the agent", async () => {
    const { agent, browser, ran } = await openServerWorld();
    const { http } = await agent();
    const asked = await http.post<{ approvalId: string; type: string }>("/v1/calls", CALL);
    expect(asked.status).toBe(202);
    const { body: page } = await browser.get<{ approvals: { approvalId: string; toolCallHash: string }[] }>(
      "/v1/approvals",
    );
    expect(page.approvals.map(({ approvalId }) => approvalId)).toEqual([asked.body.approvalId]);
    const decided = await browser.post(`/v1/approvals/${asked.body.approvalId}/decision`, {
      decision: "approve",
      toolCallHash: page.approvals[0]?.toolCallHash,
    });
    expect(decided.status).toBe(200);
    const told = await http.get(`/v1/calls/${asked.body.approvalId}?wait=5`);
    expect(told.body).toMatchObject({ type: "succeeded", result: { done: "email.send" } });
    expect(ran).toHaveLength(1);
  });

  it("is listed with others page by page, all of them or those that fit", async () => {
    const { agent, browser } = await openServerWorld();
    const [one, two] = [await agent(), await agent()];
    await one.http.post("/v1/calls", CALL);
    await one.http.post("/v1/calls", { tool: "tasks.create", args: { title: "x" } });
    await two.http.post("/v1/calls", { ...CALL, sessionId: "night" });
    await two.http.post("/v1/calls", { tool: "tasks.clear", args: { all: true } });
    const listed = async (query: string) => {
      const { body } = await browser.get<{ approvals: { tool: string }[]; next?: string }>(`/v1/approvals${query}`);
      return { tools: body.approvals.map(({ tool }) => tool), next: body.next };
    };
    expect((await listed("")).tools).toEqual(["email.send", "tasks.create", "email.send", "tasks.clear"]);
    expect((await listed("?tool=email.send")).tools).toEqual(["email.send", "email.send"]);
    expect((await listed(`?agent=${two.issued.agentId}`)).tools).toEqual(["email.send", "tasks.clear"]);
    expect((await listed("?riskTier=R4")).tools).toEqual(["tasks.clear"]);
    expect((await listed("?session=night")).tools).toEqual(["email.send"]);
    expect((await listed("?tool=none")).tools).toEqual([]);
    const first = await listed("?tool=email.send&limit=1");
    expect(first.tools).toEqual(["email.send"]);
    const second = await listed(`?tool=email.send&limit=1&after=${first.next}`);
    expect(second.tools).toEqual(["email.send"]);
    expect((await listed(`?tool=email.send&limit=1&after=${second.next}`)).tools).toEqual([]);
    expect((await browser.get("/v1/approvals?riskTier=R9")).status).toBe(400);
  });

  it("is decided by no key, whatever its kind (I10)", async () => {
    const { agent, browser } = await openServerWorld();
    const { http } = await agent();
    const asked = await http.post<{ approvalId: string }>("/v1/calls", CALL);
    const { body } = await browser.get<{ toolCallHash: string }>(`/v1/approvals/${asked.body.approvalId}`);
    const answer = { decision: "approve", toolCallHash: body.toolCallHash };
    const refused = await http.post(`/v1/approvals/${asked.body.approvalId}/decision`, answer);
    expect(refused).toMatchObject({ status: 403, body: { code: "not_permitted" } });
  });

  it("claims and finishes where the agent runs the tool itself (I1)", async () => {
    const { agent, browser } = await openServerWorld();
    const { http } = await agent();
    const asked = await http.post<{ approvalId: string }>("/v1/calls", { tool: "tasks.create", args: { title: "x" } });
    const { approvalId } = asked.body;
    const { body: seen } = await browser.get<{ toolCallHash: string }>(`/v1/approvals/${approvalId}`);
    await browser.post(`/v1/approvals/${approvalId}/decision`, {
      decision: "approve",
      toolCallHash: seen.toolCallHash,
    });
    const { body: ready } = await http.get<{ token: { tokenId: string } }>(`/v1/calls/${approvalId}`);
    const claimed = await http.post<{ claimId: string; args: object }>("/v1/tokens/claim", {
      approvalId,
      tokenId: ready.token.tokenId,
    });
    expect(claimed.body.args).toEqual({ title: "x" });
    expect((await http.post("/v1/tokens/claim", { approvalId, tokenId: ready.token.tokenId })).status).toBe(409);
    const { claimId } = claimed.body;
    const done = await http.post("/v1/tokens/finish", { approvalId, claimId, type: "succeeded", result: { id: 7 } });
    expect(done.body).toMatchObject({ type: "succeeded", result: { id: 7 } });
  });

  it("is claimed by its id by the agent that asked, as soon as there is a yes, and by no other (I1, I11)", async () => {
    const { agent, browser } = await openServerWorld();
    const [{ http }, other] = [await agent(), await agent()];
    const asked = await http.post<{ approvalId: string; card: { toolCallHash: string } }>("/v1/calls", {
      tool: "tasks.create",
      args: { title: "x" },
    });
    const { approvalId, card } = asked.body;
    const claim = (by: typeof http, body: object = {}) => by.post(`/v1/calls/${approvalId}/claim`, body);
    expect(await claim(http)).toMatchObject({ status: 409, body: { code: "not_approved" } });
    const answer = { decision: "approve", toolCallHash: card.toolCallHash };
    await browser.post(`/v1/approvals/${approvalId}/decision`, answer);
    expect(await claim(other.http)).toMatchObject({ status: 403, body: { code: "user_mismatch" } });
    expect(await claim(http, { sessionId: "another" })).toMatchObject({ status: 403, body: { code: "user_mismatch" } });
    expect(await claim(http, { tokenId: "x" })).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    expect(await claim(browser)).toMatchObject({ status: 403 });
    expect(await claim(http)).toMatchObject({ status: 200, body: { approvalId, args: { title: "x" } } });
    expect(await claim(http)).toMatchObject({ status: 409, body: { code: "already_claimed" } });
  });
});
