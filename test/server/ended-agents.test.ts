import { describe, expect, it } from "vitest";
import { openServerWorld, type ServerWorld } from "./world.js";

const MAIL = { tool: "email.send", args: { to: "ana@example.com", body: "hello" } };

describe("an agent that is ended while its calls wait", () => {
  it("leaves no question behind: they are withdrawn, and say why", async () => {
    const { agent, browser } = await openServerWorld();
    const gone = await agent();
    const stays = await agent();
    const { body: asked } = await gone.http.post<{ approvalId: string }>("/v1/calls", MAIL);
    const { body: other } = await stays.http.post<{ approvalId: string }>("/v1/calls", MAIL);
    expect((await browser.send("DELETE", `/v1/agents/${gone.issued.agentId}`)).status).toBe(204);
    const { body } = await browser.get<{ approvals: { approvalId: string }[] }>("/v1/approvals");
    expect(body.approvals.map(({ approvalId }) => approvalId)).toEqual([other.approvalId]);
    const { body: ended } = await browser.get(`/v1/approvals/${asked.approvalId}`);
    expect(ended).toMatchObject({ state: "cancelled", resolution: { reason: "the agent that asked was ended" } });
  });

  it("gets nothing run by a yes that comes later, whoever ended it and wherever (I4)", async () => {
    const { agent, browser, service, owner, ran } = await openServerWorld();
    const { http, issued } = await agent();
    const { body } = await http.post<{ approvalId: string; card: { toolCallHash: string } }>("/v1/calls", MAIL);
    // Another instance did this, and was killed before it had withdrawn the question.
    await service.identity.agents.revoke(owner, issued.agentId);
    const answer = { decision: "approve", toolCallHash: body.card.toolCallHash };
    expect(await browser.post(`/v1/approvals/${body.approvalId}/decision`, answer)).toMatchObject({
      status: 403,
      body: { code: "authority_lost" },
    });
    expect(ran).toEqual([]);
    expect(
      (await browser.post(`/v1/approvals/${body.approvalId}/decision`, { ...answer, decision: "deny" })).status,
    ).toBe(200);
  });

  it.each([
    ["leaves", ({ service, owner }: ServerWorld, id: string) => service.identity.members.remove(owner, id)],
    [
      "becomes an auditor",
      ({ service, owner }: ServerWorld, id: string) => service.identity.members.setRole(owner, id, "auditor"),
    ],
  ])("is ended too when the person it works for %s (I4)", async (_how, end) => {
    const world = await openServerWorld();
    const { join, visitor, browser, service, ran } = world;
    const bea = await join("Bea", "member");
    const wanted = { name: "hers", scopes: ["email.*"], devices: "none" as const };
    const { apiKey } = await service.identity.agents.create(bea.principal, wanted);
    const http = visitor({ authorization: `Bearer ${apiKey}` });
    const { body } = await http.post<{ approvalId: string; card: { toolCallHash: string } }>("/v1/calls", MAIL);
    await end(world, bea.userId);
    const answer = { decision: "approve", toolCallHash: body.card.toolCallHash };
    const { status, body: said } = await browser.post(`/v1/approvals/${body.approvalId}/decision`, answer);
    expect([status, said["code"]]).toEqual([403, "authority_lost"]);
    expect(ran).toEqual([]);
  });
});
