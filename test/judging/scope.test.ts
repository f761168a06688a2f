import { describe, expect, it } from "vitest";
import { ANN, CALLER, codeOf, entries, newGate, recorded, submit } from "./support.js";

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
    ["/work/notes/a.txt", "inside"],
    ["/work", "inside"],
    ["/workshop/a", "outside"],
    ["/work/../etc/passwd", "outside"],
    ["/work//a", "outside"],
    ["notes/a", "outside"],
    ["https://api.example.com/x", "inside"],
    ["https://example.com/x", "outside"],
    ["https://api.example.com.evil.org/", "outside"],
    ["https://api.example.com@evil.org/", "outside"],
    ["mailto:someone@evil.org", "outside"],
    ["task 7", "inside"],
  ])("attack C5: the target %s is %s", async (target, place) => {
    const gate = newGate({ tools: [touching()], scope: { paths: ["/work"], domains: ["*.example.com"] } });
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
    const gate = newGate({ tools: [touching()], scope: { paths: ["/work"] } });
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
});
