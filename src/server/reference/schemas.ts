import { z } from "zod";
import type { JsonObject } from "../../core/json.js";

/** JSON Schemas by name, gathered while a document is written. */
export type Components = Map<string, JsonObject>;

/**
 * What a schema accepts, as JSON Schema 2020-12. Named parts are put into `components` once and referred to; without it they
 * stand in the schema's own `$defs`. The form of what goes in is also that of what comes out: nothing here transforms.
 */
export function jsonSchemaOf(schema: z.ZodType, components?: Components): JsonObject {
  const { $schema: version, ...written } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: "input",
    // Any JSON at all is written as the schema that says nothing.
    unrepresentable: "any",
  });
  const plain = JSON.parse(JSON.stringify(written)) as JsonObject;
  if (components === undefined) return { $schema: version as string, ...plain };
  const { $defs = {}, ...rest } = plain;
  for (const [name, part] of Object.entries($defs as JsonObject)) components.set(name, named(part as JsonObject));
  const own = z.globalRegistry.get(schema)?.id;
  if (own === undefined) return named(rest);
  // A schema with a name is written as a reference to itself.
  return { $ref: `#/components/schemas/${own}` };
}

/** Names stand beside a schema once it has left `$defs`. */
function named({ id: _, ...schema }: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonObject;
}
