import { describe, expect, it } from "vitest";
import { SoftwareAuthenticator } from "../../../test/identity/software-authenticator.js";
import { ORIGIN, openServerWorld, type ServerWorld } from "../../../test/server/world.js";
import { createClient } from "../../client/index.js";

const PATH = "/v1/workspace/replies";

async function entriesOf(world: ServerWorld) {
  const { body } = await world.browser.get<{ entries: { type: string; says: object }[] }>(
    "/v1/audit/entries?limit=500",
  );
  return body.entries.filter(({ type }) => type === "replies.changed").map(({ says }) => says);
}

describe("how answers in chats are read, over HTTP", () => {
  it("is seen by everybody, changed by owners alone, and written down (I7)", async () => {
    const world = await openServerWorld();
    const max = await world.join("Max", "approver");
    const usual = { approve: expect.arrayContaining(["确认"]), deny: expect.arrayContaining(["取消"]), unclear: "ask" };
    expect((await max.browser.get(PATH)).body).toEqual({ approve: [], deny: [], usual });
    expect((await max.browser.send("PATCH", PATH, { unclear: "cancel" })).status).toBe(403);
    const changed = await world.browser.send("PATCH", PATH, { approve: ["Ship It!"], unclear: "cancel" });
    expect(changed.body).toMatchObject({ approve: ["ship it"], deny: [], unclear: "cancel" });
    expect((await max.browser.get(PATH)).body).toMatchObject({ approve: ["ship it"], unclear: "cancel" });
    expect(await entriesOf(world)).toEqual([
      { by: "local", approve: ["ship it"], deny: [], unclear: "cancel", weakening: true, weaker: ["approve"] },
    ]);
  });

  it("takes a fresh passkey where a yes becomes easier or a no harder, and nothing where it becomes stricter", async () => {
    const world = await openServerWorld();
    const first = { approve: ["放行"], deny: ["驳回", "halt"], unclear: "cancel" };
    expect((await world.browser.send("PATCH", PATH, first)).status).toBe(200);
    const passkey = new SoftwareAuthenticator(ORIGIN);
    const { body: options } = await world.browser.post("/v1/me/passkeys/begin");
    const added = await world.browser.post("/v1/me/passkeys/finish", { response: passkey.register(options as never) });
    const cookie = (added.headers.get("set-cookie") ?? "").split(";")[0] as string;
    const browser = world.visitor({ origin: ORIGIN, cookie });
    await world.database.run("UPDATE identity_session SET strong_auth_at = 0");
    for (const weaker of [{ approve: ["放行", "准奏"] }, { deny: ["halt"] }, { unclear: "ask" }, { unclear: null }]) {
      expect(await browser.send("PATCH", PATH, weaker), JSON.stringify(weaker)).toMatchObject({
        status: 403,
        body: { code: "fresh_passkey_required", path: "replies.changed" },
      });
    }
    const stricter = await browser.send("PATCH", PATH, { approve: [], deny: ["驳回", "halt", "nein"] });
    expect(stricter.body).toMatchObject({ approve: [], deny: ["驳回", "halt", "nein"], unclear: "cancel" });
    await world.database.run("UPDATE identity_session SET strong_auth_at = ?", Date.now());
    const patient = await browser.send<object>("PATCH", PATH, { unclear: null });
    expect(patient.status).toBe(200);
    expect(patient.body).not.toHaveProperty("unclear");
  });

  it("is made stricter from a terminal and never weaker, which a program could do (I8)", async () => {
    const world = await openServerWorld();
    await world.database.run("UPDATE identity_session SET kind = 'cli', amr = 'device'");
    const { replies } = createClient({
      url: ORIGIN,
      session: world.ownerToken,
      fetch: async (input, init) => world.app.fetch(new Request(input, init)),
    });
    await expect(replies.change({ approve: ["放行"] })).rejects.toMatchObject({ code: "fresh_passkey_required" });
    expect(await replies.change({ deny: ["驳回"], unclear: "cancel" })).toMatchObject({ unclear: "cancel" });
    expect(await replies.get()).toMatchObject({ approve: [], deny: ["驳回"], unclear: "cancel" });
  });

  it.each([
    { approve: ["不放行"] },
    { approve: ["取消"] },
    { deny: ["确认"] },
    { approve: ["27"] },
    { approve: [""] },
    { approve: "放行" },
    { unclear: "maybe" },
    { words: {} },
  ])("refuses %j, and changes nothing (attack E10)", async (patch) => {
    const world = await openServerWorld();
    expect((await world.browser.send("PATCH", PATH, patch)).status).toBe(400);
    expect(await entriesOf(world)).toEqual([]);
  });
});
