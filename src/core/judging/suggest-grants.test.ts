import { describe, expect, it } from "vitest";
import { fittingScopes } from "./suggest-grants.js";

describe("suggested grants", () => {
  it("pin folder, host and amount of the call at hand, and nothing else of it", () => {
    const args = {
      path: "/srv/app/x.txt",
      url: "https://api.example.com/v1",
      to: "ann@example.com",
      amount: 12,
      body: "hi",
    };
    const [, minutes] = fittingScopes(args, "R3", []);
    expect(minutes).toEqual({
      kind: "minutes",
      minutes: 15,
      pins: [
        { path: "path", op: "prefix", value: "/srv/app" },
        { path: "url", op: "host", value: "api.example.com" },
        { path: "to", op: "host", value: "example.com" },
        { path: "amount", op: "max", value: 12 },
      ],
    });
  });

  it("never pin a hidden value, because a grant says its pins aloud", () => {
    const scopes = fittingScopes({ account: "ann@bank.example.com", amount: 3 }, "R3", ["account"]);
    expect(JSON.stringify(scopes)).not.toContain("bank");
  });

  it("leave no call at R3 or above without pins: the exact call, or what fits it", () => {
    expect(fittingScopes({ note: "x" }, "R3", [])).toEqual([{ kind: "session" }]);
    expect(fittingScopes({ note: "x" }, "R2", [])).toEqual([{ kind: "minutes", minutes: 15 }, { kind: "session" }]);
  });

  it("are at most three", () => {
    for (const tier of ["R1", "R2", "R3", "R4"] as const) {
      expect(fittingScopes({ n: 1 }, tier, []).length).toBeLessThanOrEqual(3);
    }
  });

  it("offer no pin that the call itself would not be within", () => {
    const scopes = fittingScopes({ amount: -5, path: "/a/../b", url: "https://u:p@example.com/" }, "R3", []);
    expect(scopes).toEqual([{ kind: "session" }]);
  });
});
