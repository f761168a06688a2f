import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openServerWorld } from "../../../test/server/world.js";
import { publishedSchemas } from "./published.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");

interface Document {
  readonly paths: Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>;
}

describe("the API described by the server itself", () => {
  it("is a valid OpenAPI 3.1 document with every route, each under its own name", async () => {
    const { visitor, routes } = await openServerWorld();
    const { body } = await visitor({}).get<Document>("/openapi.json");
    const { valid, errors } = await new Validator().validate(structuredClone(body) as never);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
    for (const { operation } of operations)
      expect(operation.responses["default"]).toEqual({ description: "Refused", content });
    const references = JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
    const { schemas } = (body as unknown as { components: { schemas: object } }).components;
    for (const [, name] of references) expect(Object.keys(schemas)).toContain(name);
    for (const [name, schema] of Object.entries(schemas)) expect(schema, name).not.toHaveProperty("$ref");
  });

  it("is a page on which nothing runs and nothing can be loaded", async () => {
    const { visitor } = await openServerWorld();
    const { body, headers } = await visitor({}).get<string>("/reference");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=*'/);
    expect(body).not.toMatch(/<script|\son\w+=|javascript:|<link|<img/i);
    expect(body).toContain("POST /v1/approvals/{approvalId}/decision");
  });
});

describe("published schemas", () => {
  it("are what the server validates with; npm run schemas writes them", () => {
    const written = readdirSync(join(ROOT, "schemas")).filter((name) => name !== "policy.schema.json");
    const current = publishedSchemas();
    expect(written.toSorted()).toEqual([...current.keys()].toSorted());
    for (const [name, text] of current) expect(readFileSync(join(ROOT, "schemas", name), "utf8"), name).toBe(text);
  });

  it("accept what a real server says, and nothing of another form", async () => {
    const { agent, browser } = await openServerWorld();
    const { http } = await agent();
    const read = (name: string) =>
      z.fromJSONSchema(JSON.parse(readFileSync(join(ROOT, "schemas", `${name}.schema.json`), "utf8")));
    const asked = await http.post<{ card: object }>("/v1/calls", {
      tool: "email.send",
      args: { to: "ann@example.com", body: "hello" },
    });
    const { body: page } = await browser.get<{ approvals: object[] }>("/v1/approvals");
    const refused = await http.get("/v1/approvals");
    const said: readonly (readonly [string, unknown])[] = [
      ["outcome", asked.body],
      ["card", asked.body.card],
      ["approval", asked.body.card],
      ["approval-view", page.approvals[0]],
      ["settings", (await browser.get("/v1/settings")).body],
      ["problem", refused.body],
    ];
    for (const [name, body] of said) {
      expect(read(name).safeParse(body).error, name).toBeUndefined();
      expect(read(name).safeParse({ type: 7 }).success, name).toBe(false);
    }
  });
});
