import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool, type People } from "../../src/index.js";
import { ANN, BOB, CALLER, codeOf, entries, newGate, recorded, submit } from "./support.js";

const preview = ({ id }: { id: string }) => ({ effects: [], targets: [id] });
const touching = () => recorded("R1", { preview }).tool;

async function drift(gate: ReturnType<typeof newGate>, target: string, caller: object = {}) {
  const outcome = await submit(gate, target, caller);
  if (outcome.type !== "pending") return outcome.type;
  const reason = outcome.card.reasons.find(({ source }) => source === "scope");
  return reason === undefined ? "asked" : { code: reason.code, riskTier: reason.riskTier, fragment: reason.fragment };
}

const OUTSIDE = (fragment: string) => ({ code: "target_outside", riskTier: "R3", fragment });

describe("scope drift", () => {
  it.each([
    ["/desk/notes/a.txt", "inside"],
    ["/desk", "inside"],
    ["/workshop/a", "outside"],
    ["/desk/../etc/passwd", "outside"],
    ["/desk//a", "outside"],
    ["notes/a", "outside"],
    ["https://api.example.com/x", "inside"],
    ["https://example.com/x", "outside"],
    ["https://api.example.com.evil.org/", "outside"],
    ["https://api.example.com@evil.org/", "outside"],
    ["mailto:someone@evil.org", "outside"],
    ["task 7", "inside"],
  ])("attack C5: the target %s is %s", async (target, place) => {
    const gate = newGate({ tools: [touching()], scope: { paths: ["/desk"], domains: ["*.example.com"] } });
    expect(await drift(gate, target)).toEqual(place === "inside" ? "succeeded" : OUTSIDE(target));
  });

  it("is set by a person first, then by the host for its caller, then by the default", async () => {
    const gate = newGate({ tools: [touching()], scope: () => ({ paths: ["/default"] }) });
    const host = { scope: { paths: ["/host"] } };
    expect(await drift(gate, "/default/a")).toBe("succeeded");
    expect(await drift(gate, "/host/a", host)).toBe("succeeded");
    expect(await drift(gate, "/default/b", host)).toEqual(OUTSIDE("/default/b"));
    await gate.setScope("s1", { paths: ["/person"] }, ANN);
    expect(await drift(gate, "/person/a", host)).toBe("succeeded");
    expect(await drift(gate, "/host/b", host)).toEqual(OUTSIDE("/host/b"));
    expect(await drift(gate, "/default/c", { sessionId: "s2" })).toBe("succeeded");
  });

  it("is never set by the agent's call", async () => {
    const gate = newGate({ tools: [touching()], scope: { paths: ["/desk"] } });
    const scope = { paths: ["/"] };
    const call = { tool: "notes.add", args: { id: "/etc/passwd" }, scope, context: { scope } };
    expect((await gate.submit(call, CALLER)).type).toBe("pending");
  });

  it("is a person's act, recorded as a weakening, and strict in what it takes", async () => {
    const gate = newGate({ tools: [touching()] });
    await gate.setScope("s1", { paths: ["/a"], domains: [] }, ANN);
    expect((await entries(gate)).at(-1)).toMatchObject({
      type: "scope.set",
      content: { by: "ann", weakening: true, paths: ["/a"] },
    });
    for (const scope of [
      { paths: ["a"] },
      { paths: ["/a/.."] },
      { domains: ["https://x"] },
      { domains: "x" },
      { hosts: [] },
      null,
    ])
      expect(await codeOf(gate.setScope("s1", scope as never, ANN))).toBe("invalid_call");
    expect(await codeOf(gate.setScope("s1", {}, { kind: "agent" } as never))).toBe("user_mismatch");
  });

  it("is each person's own: another one's session of the same name keeps its scope (I11)", async () => {
    const gate = newGate({ tools: [touching()], scope: { paths: ["/desk"] } });
    await gate.setScope("s1", { paths: ["/"] }, BOB);
    expect(await drift(gate, "/etc/passwd")).toEqual(OUTSIDE("/etc/passwd"));
    expect(await drift(gate, "/etc/passwd", { userId: "bob" })).toBe("succeeded");
  });

  it("is set for somebody else by owners alone, and only for members (I11)", async () => {
    const roles: Record<string, string> = { ann: "member", bob: "approver", eve: "owner" };
    const people: People = {
      member: async (_, userId) => (roles[userId] === undefined ? undefined : { roles: [roles[userId]], groups: [] }),
      reachable: async () => true,
    };
    const gate = newGate({ tools: [touching()], scope: { paths: ["/desk"] }, people });
    const wide = { paths: ["/"] };
    expect(await codeOf(gate.setScope("s1", wide, BOB, "ann"))).toBe("not_permitted");
    const owns = { ...BOB, roles: ["owner"] };
    expect(await codeOf(gate.setScope("s1", wide, owns, "ann"))).toBe("not_permitted");
    expect(await drift(gate, "/etc/passwd")).toEqual(OUTSIDE("/etc/passwd"));
    const eve = { ...BOB, userId: "eve" };
    expect(await codeOf(gate.setScope("s1", wide, eve, "mallory"))).toBe("not_found");
    await gate.setScope("s1", wide, eve, "ann");
    expect(await drift(gate, "/etc/passwd")).toBe("succeeded");
    expect((await entries(gate)).find(({ type }) => type === "scope.set")).toMatchObject({
      content: { by: "eve", user: "ann", session: "s1", weakening: true },
    });
  });

  it("asks the host's function for each caller", async () => {
    const gate = newGate({
      tools: [touching()],
      scope: ({ userId }) => ({ paths: [`/${userId}`] }),
    });
    expect(await drift(gate, "/ann/a")).toBe("succeeded");
    expect(await drift(gate, "/bob/a")).toEqual(OUTSIDE("/bob/a"));
    expect(await drift(gate, "/bob/a", { userId: "bob" })).toBe("succeeded");
  });

  it("is kept as it was given, kind by kind, and replaced as a whole", async () => {
    const gate = newGate({ tools: [touching()] });
    await gate.setScope("s1", { paths: ["/a"], domains: ["example.com"] }, ANN);
    expect((await entries(gate)).at(-1)?.content).toEqual({
      by: "ann",
      user: "ann",
      session: "s1",
      weakening: true,
      paths: ["/a"],
      domains: ["example.com"],
    });
    expect(await drift(gate, "https://evil.test/")).toEqual(OUTSIDE("https://evil.test/"));
    await gate.setScope("s1", { paths: ["/b"] }, ANN);
    expect((await entries(gate)).at(-1)?.content).toEqual({
      by: "ann",
      user: "ann",
      session: "s1",
      weakening: true,
      paths: ["/b"],
    });
    expect(await drift(gate, "https://evil.test/")).toBe("succeeded");
    expect(await drift(gate, "/a/x")).toEqual(OUTSIDE("/a/x"));
  });

  it("set by two at once is set by both, one after the other", async () => {
    const gate = newGate({ tools: [touching()] });
    const other = newGate({ tools: [touching()], store: gate.store });
    await Promise.all([gate.setScope("s1", { paths: ["/a"] }, ANN), other.setScope("s1", { paths: ["/b"] }, ANN)]);
    const set = (await entries(gate)).filter(({ type }) => type === "scope.set");
    expect(set.map(({ content }) => content["paths"])).toHaveLength(2);
  });

  it("holds at once for what was allowed and is not started yet", async () => {
    const tool = defineTool({ name: "notes.add", riskTier: "R1", inputSchema: z.object({ id: z.string() }), preview });
    const gate = newGate({ tools: [tool] });
    const allowed = await submit(gate, "/etc/passwd");
    if (allowed.type !== "pending" || allowed.token === undefined) throw new Error("expected a token");
    await gate.setScope("s1", { paths: ["/desk"] }, ANN);
    const { approvalId, tokenId } = allowed.token;
    expect(await codeOf(gate.claim({ approvalId, tokenId }))).toMatch(/policy_(denied|changed)/);
  });

  it("may want more proof of the person first", async () => {
    const acts: string[] = [];
    const gate = newGate({
      tools: [touching()],
      weaken: async ({ userId }, act) => {
        acts.push(`${userId} ${act}`);
        throw new Error("a passkey is needed");
      },
    });
    await expect(gate.setScope("s1", { paths: ["/"] }, ANN)).rejects.toThrow("passkey");
    expect(acts).toEqual(["ann scope.set"]);
    expect(await entries(gate)).toEqual([]);
  });

  const lists = "A scope's paths and domains are lists of texts.";
  const plain = "A scope's paths are absolute and plain: no dots, no doubled slashes.";
  const hosts = 'A scope\'s domains are hosts: "example.com" or "*.example.com".';
  it.each<[unknown, unknown, string]>([
    ["", {}, "A scope is set for one session; name it."],
    [5, {}, "A scope is set for one session; name it."],
    ["s1", null, "A scope is { paths, domains }."],
    ["s1", "/a", "A scope is { paths, domains }."],
    ["s1", { hosts: [] }, 'A scope has no field "hosts".'],
    ["s1", { paths: "/a" }, lists],
    ["s1", { paths: ["/a", 5] }, lists],
    ["s1", { domains: [5] }, lists],
    ["s1", { paths: Array.from({ length: 1_001 }, () => "/a") }, lists],
    ["s1", { paths: ["/a", "b"] }, plain],
    ...["a..b", "-a.com", "a-.com", "a.-b", "a.b-", "*.", "*", "a*", "A.com", "a.com/", "a_b.com", "", "."].map(
      (domain) => ["s1", { domains: ["example.com", domain] }, hosts] as [unknown, unknown, string],
    ),
  ])("says what is wrong with %j, %j", async (session, scope, message) => {
    const gate = newGate({ tools: [touching()] });
    await expect(gate.setScope(session as string, scope as never, ANN)).rejects.toThrow(
      expect.objectContaining({ code: "invalid_call", message }),
    );
    expect(await entries(gate)).toEqual([]);
  });

  it("may have a thousand items and hosts of every form", async () => {
    const gate = newGate({ tools: [touching()] });
    const domains = ["a", "ab", "a-b.com", "a--b.c-d.e", "*.x9.example", "1.2.3.4", "x.y"];
    await gate.setScope("s1", { paths: Array.from({ length: 1_000 }, () => "/a"), domains }, ANN);
    expect((await entries(gate)).at(-1)?.content["domains"]).toEqual(domains);
    await gate.setScope("s1", {}, ANN);
    expect(await drift(gate, "/etc/passwd")).toBe("succeeded");
  });
});
