import { describe, expect, it } from "vitest";
import { openServerWorld } from "../../test/server/world.js";

interface Listed {
  readonly approvalId: string;
  readonly toolCallHash: string;
  readonly card: { readonly asks: string; readonly requester: object };
}

const CALL = { tool: "email.send", args: { to: "ann@example.com", body: "hello" } };

describe("who is who, over HTTP", () => {
  it("gives lists, cards and history the names of agents and people beside their ids", async () => {
    const { agent, browser, join } = await openServerWorld();
    const { http, issued } = await agent(["email.*"], { name: "Mail helper" });
    const ann = await join("Ann", "approver");
    await http.post("/v1/calls", CALL);
    const { body: page } = await ann.browser.get<{ approvals: Listed[] }>("/v1/approvals");
    const [listed] = page.approvals;
    const requester = { userId: "local", userName: "Owner", agentId: issued.agentId, agentName: "Mail helper" };
    expect(listed).toMatchObject({ requester, card: { asks: "Mail helper, for Owner, asks", requester } });
    const path = `/v1/approvals/${listed?.approvalId}`;
    const answer = { decision: "deny", toolCallHash: listed?.toolCallHash };
    await ann.browser.post(`${path}/decision`, answer);
    expect(await browser.post(`${path}/decision`, answer)).toMatchObject({
      status: 409,
      body: {
        code: "already_resolved",
        decidedBy: ann.userId,
        decidedByName: "Ann",
        detail: "This was denied by Ann before your answer came.",
      },
    });
    const late = [
      await browser.post(`${path}/decision`, { ...answer, decision: "approve" }),
      await browser.post(`${path}/hand-over`, { to: ann.userId }),
    ];
    const detail = "This was denied by Ann before your answer came.";
    expect(late).toMatchObject([{ body: { detail } }, { body: { detail } }]);
    const { body: past } = await browser.get<{ items: Listed[] }>("/v1/history");
    expect(past.items).toMatchObject([{ requester, resolution: { by: ann.userId, byName: "Ann" }, votes: [] }]);
  });

  it("knows a name only in the workspace that it belongs to (I11)", async () => {
    const { agent, service, owner, join } = await openServerWorld();
    const { issued } = await agent();
    const { userId } = await join("Ann", "member");
    const elsewhere = await service.identity.persons.createWorkspace(owner.session, "Elsewhere");
    const { names } = service.identity;
    expect(await names.nameOf(owner.workspaceId, issued.agentId)).toBe("agent");
    expect(await names.nameOf(owner.workspaceId, userId)).toBe("Ann");
    expect(await names.nameOf(elsewhere, issued.agentId)).toBeUndefined();
    expect(await names.nameOf(elsewhere, userId)).toBeUndefined();
    await service.identity.members.remove(owner, userId);
    expect(await names.nameOf(owner.workspaceId, userId)).toBe("Ann");
  });
});
