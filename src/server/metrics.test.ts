import { expect, it } from "vitest";
import { ORIGIN, openServerWorld } from "../../test/server/world.js";

it("counts what waits, what was answered, and what ran by itself", async () => {
  const { app, agent, browser } = await openServerWorld();
  const read = async () => (await app.fetch(new Request(`${ORIGIN}/metrics`))).text();
  await read();
  const { http } = await agent();
  const asked = await http.post<{ approvalId: string }>("/v1/calls", {
    tool: "email.send",
    args: { to: "a", body: "b" },
  });
  expect(await read()).toContain("countersign_pending 1");
  const { approvalId } = asked.body;
  const { body } = await browser.get<{ toolCallHash: string }>(`/v1/approvals/${approvalId}`);
  await browser.post(`/v1/approvals/${approvalId}/decision`, { decision: "deny", toolCallHash: body.toolCallHash });
  const after = await read();
  expect(after).toContain("countersign_pending 0");
  expect(after).toContain('countersign_resolutions_total{as="denied"} 1');
  expect(after).toContain("countersign_decision_seconds_count 1");
});

it("says that it is alive and ready without telling anything else", async () => {
  const { app } = await openServerWorld();
  expect((await app.fetch(new Request(`${ORIGIN}/healthz`))).status).toBe(200);
  expect((await app.fetch(new Request(`${ORIGIN}/readyz`))).status).toBe(200);
});
