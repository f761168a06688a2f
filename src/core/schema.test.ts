import { describe, expect, it } from "vitest";
import { z } from "zod";
import { describeSchema, type StandardSchema, validateArgs } from "./schema.js";
import { defineTool } from "./tool.js";

const validate = async (schema: unknown, sent: unknown) => validateArgs("x.y", schema as StandardSchema, sent);

/** A schema of no library: whatever the function says. */
function plainSchema(check: (value: unknown) => unknown): StandardSchema {
  return { "~standard": { vendor: "own", validate: check as never } };
}

describe("validateArgs", () => {
  it("gives back plain frozen JSON, with defaults applied", async () => {
    const schema = z.object({ id: z.string(), tags: z.array(z.string()).default(["new"]) });
    const args = await validate(schema, { id: "7" });
    expect(args).toEqual({ id: "7", tags: ["new"] });
    expect(Object.isFrozen(args)).toBe(true);
    expect(Object.isFrozen(args.tags)).toBe(true);
  });

  it("shares nothing with what was sent", async () => {
    const sent = { list: [1] };
    const args = await validate(undefined, sent);
    sent.list.push(2);
    expect(args).toEqual({ list: [1] });
  });

  it.each([
    [{ id: "7", extra: 1 }, "args.extra"],
    [{ id: "7", deep: { known: 1, unknown: 2 } }, "args.deep.unknown"],
    [{ id: "7", list: [{ a: 1 }, { a: 1, b: 2 }] }, "args.list.1.b"],
    [{ id: 7 }, "args.id"],
    [{ id: "7", list: [{ a: "x" }] }, "args.list.0.a"],
    [{}, "args.id"],
  ])("flaw F-A6: refuses %j and names the place", async (sent, path) => {
    const schema = z.object({
      id: z.string(),
      deep: z.object({ known: z.number() }).optional(),
      list: z.array(z.object({ a: z.number() })).optional(),
    });
    await expect(validate(schema, sent)).rejects.toMatchObject({
      code: "invalid_args",
      message: expect.stringContaining(path),
      details: { path },
    });
  });

  it.each([[[1]], ["text"], [5], [null], [true]])("takes an object of arguments and not %j", async (sent) => {
    await expect(validate(undefined, sent)).rejects.toMatchObject({ code: "invalid_args", details: { path: "args" } });
  });

  it.each([{ n: Number.NaN }, { d: new Date(0) }, { b: 1n }, { f: () => 1 }, { s: "\ud800" }, { m: new Map() }])(
    "takes plain JSON alone (%#)",
    async (sent) => {
      await expect(validate(undefined, sent)).rejects.toMatchObject({ code: "invalid_json" });
    },
  );

  it("takes no arguments for an empty object", async () => {
    expect(await validate(undefined, undefined)).toEqual({});
    expect(await validate(z.object({}), undefined)).toEqual({});
  });

  it("waits for schemas that answer later", async () => {
    const schema = z.object({ id: z.string().refine(async (id) => id === "7", "no such task") });
    expect(await validate(schema, { id: "7" })).toEqual({ id: "7" });
    await expect(validate(schema, { id: "8" })).rejects.toMatchObject({ code: "invalid_args" });
  });

  it("works with any Standard Schema", async () => {
    const own = plainSchema((value) =>
      (value as { id?: unknown }).id === "7"
        ? { value }
        : { issues: [{ message: "not seven", path: [{ key: "id" }] }] },
    );
    expect(await validate(own, { id: "7" })).toEqual({ id: "7" });
    await expect(validate(own, { id: "8" })).rejects.toMatchObject({
      message: '"x.y" refuses args.id: not seven.',
      details: { path: "args.id" },
    });
  });

  it("refuses a schema that changes its own output when it parses it again", async () => {
    const growing = plainSchema((value) => ({ value: { n: (value as { n: number }).n + 1 } }));
    await expect(validate(growing, { n: 1 })).rejects.toMatchObject({ code: "invalid_args" });
  });

  it("refuses a schema whose output is not plain JSON, or drops items of a list", async () => {
    const dated = plainSchema(() => ({ value: { at: new Date(0) } }));
    await expect(validate(dated, { at: "1970" })).rejects.toMatchObject({ code: "invalid_json" });
    const shortening = plainSchema((value) => ({ value: { to: (value as { to: string[] }).to.slice(0, 1) } }));
    await expect(validate(shortening, { to: ["a@x", "b@x"] })).rejects.toMatchObject({ code: "invalid_args" });
  });

  it("refuses what a schema answers when it is neither a value nor issues", async () => {
    await expect(
      validate(
        plainSchema(() => ({})),
        { id: "7" },
      ),
    ).rejects.toMatchObject({ code: "invalid_json" });
    await expect(
      validate(
        plainSchema(() => undefined),
        { id: "7" },
      ),
    ).rejects.toMatchObject({ code: "invalid_args" });
  });
});

describe("registration", () => {
  it.each([
    ["a transform", z.object({ id: z.string().transform(Number) })],
    ["a date", z.object({ at: z.date() })],
    ["a coerced date", z.object({ at: z.coerce.date() })],
    ["a bigint", z.object({ n: z.bigint() })],
    ["a map", z.object({ m: z.map(z.string(), z.string()) })],
    ["a deep transform", z.object({ list: z.array(z.object({ id: z.string().transform((id) => id.trim()) })) })],
  ])("refuses %s, with what to do instead", (_what, inputSchema) => {
    expect(() => defineTool({ name: "x.y", inputSchema: inputSchema as never })).toThrow(
      expect.objectContaining({ code: "invalid_tool", message: expect.stringContaining("convert inside execute") }),
    );
  });

  it("describes the schema with its titles, and takes libraries that cannot", () => {
    const schema = z.object({ to: z.string().meta({ title: "Recipient" }) });
    expect(describeSchema("x.y", schema as never)).toMatchObject({ properties: { to: { title: "Recipient" } } });
    expect(
      describeSchema(
        "x.y",
        plainSchema((value) => ({ value })),
      ),
    ).toBeUndefined();
  });
});
