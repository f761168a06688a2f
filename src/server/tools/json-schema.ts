import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import type { Json, JsonObject } from "../../core/json.js";
import type { StandardSchema } from "../../core/schema.js";

/** Each part is looked at once for each value: with this many, no arguments keep the process busy for long. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 30;

/**
 * A JSON Schema that somebody sent, as a schema that the gate can use. It is bounded: without references it is a finite tree,
 * and regular expressions that others wrote are not run here; they stay in the description, and the agent checks them itself.
 */
export function schemaFrom(tool: string, sent: JsonObject): StandardSchema {
  try {
    const bounded = boundedCopy(sent, { left: MAX_PARTS }, 0);
    const read = z.fromJSONSchema(bounded as Parameters<typeof z.fromJSONSchema>[0]);
    const described = () => sent as Record<string, unknown>;
    return {
      "~standard": {
        vendor: "json-schema",
        validate: (value) => read["~standard"].validate(value) as ReturnType<StandardSchema["~standard"]["validate"]>,
        jsonSchema: { input: described, output: described },
      },
    };
  } catch (cause) {
    throw new CountersignError(
      "invalid_tool",
      `The input schema of "${tool}" cannot be used: ${(cause as Error).message}.`,
      {
        cause,
      },
    );
  }
}

/** What matches by regular expression is left out: the server runs none that came from outside. */
const UNBOUNDED: readonly string[] = ["pattern", "patternProperties"];

function boundedCopy(value: Json, budget: { left: number }, depth: number): Json {
  if (--budget.left < 0) throw new Error(`it has more than ${MAX_PARTS} parts`);
  if (depth > MAX_DEPTH) throw new Error(`it is deeper than ${MAX_DEPTH} levels`);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: Json) => boundedCopy(item, budget, depth + 1));
  const kept = Object.entries(value).filter(([key, part]) => !(UNBOUNDED.includes(key) && isKeyword(key, part)));
  if (kept.some(([key, part]) => key === "$ref" && typeof part === "string")) {
    throw new Error("$ref is not supported; write the referenced part in its place");
  }
  return Object.fromEntries(kept.map(([key, part]) => [key, boundedCopy(part, budget, depth + 1)]));
}

/** An argument may be called "pattern": then a schema stands there, not a text. */
function isKeyword(key: string, part: Json): boolean {
  return key === "pattern" ? typeof part === "string" : true;
}
