import { expect, it, vi } from "vitest";

// On its own, because it loads the modules once more: a mutation run would take their tables for part of this test.
it("makes every text R4 while a parser is missing", async () => {
  vi.resetModules();
  vi.doMock("libpg-query", () => ({
    loadModule: () => Promise.reject(Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" })),
    parseSync: undefined,
  }));
  const { analyseSql: analyse } = await import("./index.js");
  expect(await analyse("SELECT 1", "postgres")).toEqual({
    riskTier: "R4",
    inspectable: false,
    findings: [
      {
        code: "parser_missing",
        riskTier: "R4",
        text: 'The SQL analyser for Postgres needs the "libpg-query" package. Install it: npm i libpg-query',
      },
    ],
  });
  expect((await analyse("SELECT 1", "sqlite")).riskTier).toBe("R0");
  vi.doUnmock("libpg-query");
});
