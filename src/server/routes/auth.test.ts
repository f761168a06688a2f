import { describe, expect, it } from "vitest";
import { SoftwareAuthenticator } from "../../../test/identity/software-authenticator.js";
import { ORIGIN, openServerWorld, type Visitor } from "../../../test/server/world.js";

/** What a browser does with the cookie of an answer. */
function cookieOf({ headers }: { readonly headers: Headers }): string {
  return (headers.get("set-cookie") ?? "").split(";")[0] as string;
}

async function enrol(browser: Visitor) {
  const passkey = new SoftwareAuthenticator(ORIGIN);
  const { body: options } = await browser.post("/v1/me/passkeys/begin");
  const response = passkey.register(options as never);
  return { passkey, added: await browser.post("/v1/me/passkeys/finish", { response, label: "Laptop" }) };
}

describe("signing in over HTTP", () => {
  it("redeems a one-time link once and sets a cookie that no script reads", async () => {
    const { service, visitor } = await openServerWorld();
    const { token } = await service.identity.signInLinks.create("local");
    const nobody = visitor({ origin: ORIGIN });
    const first = await nobody.post("/v1/auth/link", { token });
    expect(first.headers.get("set-cookie")).toMatch(
      /^countersign=css_\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect(JSON.stringify(first.body)).not.toContain("css_");
    const back = visitor({ origin: ORIGIN, cookie: cookieOf(first) });
    expect((await back.get("/v1/me")).body).toMatchObject({ userId: "local", role: "owner", assurance: "link" });
    expect(await nobody.post("/v1/auth/link", { token })).toMatchObject({
      status: 403,
      body: { code: "link_refused" },
    });
  });

  it("adds a passkey, signs in with it and is fresh after it is shown again", async () => {
    const { browser, visitor } = await openServerWorld();
    const { passkey, added } = await enrol(browser);
    expect(added.status).toBe(200);
    expect((await browser.get("/v1/me")).status).toBe(401);
    const nobody = visitor({ origin: ORIGIN });
    const { body: options } = await nobody.post("/v1/auth/passkey/begin");
    const signedIn = await nobody.post("/v1/auth/passkey/finish", { response: passkey.assert(options as never) });
    const back = visitor({ origin: ORIGIN, cookie: cookieOf(signedIn) });
    expect((await back.get("/v1/me")).body).toMatchObject({ passkeys: 1, assurance: "passkey" });
    const { body: again } = await back.post("/v1/auth/elevate/begin");
    const elevated = await back.post("/v1/auth/elevate/finish", { response: passkey.assert(again as never) });
    expect(elevated.status).toBe(200);
    expect((await back.get("/v1/me")).status).toBe(401);
  });

  it("signs a terminal in by a code that its person approves in the browser", async () => {
    const { browser, visitor, service } = await openServerWorld();
    const terminal = visitor({});
    const { body: code } = await terminal.post<{ deviceCode: string; userCode: string }>("/v1/auth/cli/begin", {
      client: "laptop",
    });
    expect((await browser.get(`/v1/auth/cli/${code.userCode}`)).body).toMatchObject({ client: "laptop" });
    expect((await browser.post(`/v1/auth/cli/${code.userCode}`, { decision: "approve" })).status).toBe(204);
    const early = await terminal.post("/v1/auth/cli/poll", { deviceCode: code.deviceCode });
    expect(early.body).toEqual({ type: "slow_down", interval: 7_000 });
    await service.identity.database.run("UPDATE identity_cli_sign_in SET next_poll_at = 0");
    const { body } = await terminal.post<{ token: string }>("/v1/auth/cli/poll", { deviceCode: code.deviceCode });
    const signedIn = visitor({ authorization: `Bearer ${body.token}` });
    expect((await signedIn.get("/v1/me")).body).toMatchObject({ session: { kind: "cli" }, assurance: "session" });
  });

  it("ends a session at once, by signing out and from another one", async () => {
    const { browser, service, visitor } = await openServerWorld();
    const { token } = await service.identity.signInLinks.create("local");
    const other = visitor({ origin: ORIGIN, cookie: cookieOf(await visitor({}).post("/v1/auth/link", { token })) });
    const { body } = await browser.get<{ sessions: { sessionId: string; current: boolean }[] }>("/v1/me/sessions");
    const mine = body.sessions.find(({ current }) => current);
    expect((await other.send("DELETE", `/v1/me/sessions/${mine?.sessionId}`)).status).toBe(204);
    expect((await browser.get("/v1/me")).status).toBe(401);
    const out = await other.post("/v1/auth/sign-out");
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await other.get("/v1/me")).status).toBe(401);
  });
});
