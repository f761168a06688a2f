import { CountersignError } from "./errors.js";
import { canonicalize, freezeJson, type Json, type JsonObject } from "./json.js";
import { type Soon, whenThere } from "./soon.js";

/**
 * The part of the Standard Schema interface that is used here. Schemas are recognised by this shape, never by `instanceof`:
 * the host's copy of its schema library is not ours.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

interface SchemaResult<Output> {
  readonly value?: Output;
  readonly issues?: readonly SchemaIssue[] | undefined;
}

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The schema as JSON Schema, where its library can say it; throws when it promises values that are not plain JSON. */
export function describeSchema(tool: string, schema: StandardSchema): JsonObject | undefined {
  const describe = schema["~standard"].jsonSchema;
  if (describe === undefined) return undefined;
  try {
    // The output is what runs. A transform or a date has no JSON Schema, which is how its library tells us.
    describe.output({ target: "draft-2020-12" });
    // Through text, because libraries hang helpers of their own on the object.
    const described = JSON.parse(JSON.stringify(describe.input({ target: "draft-2020-12" }))) as JsonObject;
    // Throws on what is not plain JSON. The order of its author is kept: people read the arguments in it.
    canonicalize(described);
    return freezeJson(described);
  } catch (cause) {
    throw new CountersignError(
      "invalid_tool",
      `The input schema of "${tool}" gives values that are not plain JSON (${(cause as Error).message}). ` +
        "What is approved must be exactly what runs: take strings, numbers, booleans, lists and objects, and convert inside execute.",
      { cause },
    );
  }
}

/**
 * Passes args through the schema. The output is the one value from here on: hashed, shown and handed to the tool. It must be
 * plain JSON that the schema accepts unchanged, and nothing that was sent may be dropped on the way.
 */
export function validateArgs(tool: string, schema: StandardSchema | undefined, sent: unknown): Soon<JsonObject> {
  const sentText = canonicalize(sent === undefined ? {} : sent);
  const plain = requireObject(tool, readCanonical(sentText));
  if (schema === undefined) return plain;
  // Most calls pass unchanged; only what the schema altered has to prove that it parses to itself.
  return whenThere(parse(tool, schema, plain), (text) =>
    text === sentText ? plain : validateOutput(tool, schema, plain, text),
  );
}

async function validateOutput(
  tool: string,
  schema: StandardSchema,
  plain: JsonObject,
  text: string,
): Promise<JsonObject> {
  const output = requireObject(tool, readCanonical(text));
  refuseDropped(tool, plain, output, "args");
  if ((await parse(tool, schema, output)) !== text) {
    throw new CountersignError(
      "invalid_args",
      `The input schema of "${tool}" changes its own output when it parses it again.`,
    );
  }
  return output;
}

/** Canonical text of what the schema makes of a value. */
function parse(tool: string, schema: StandardSchema, value: Json): Soon<string> {
  const result = schema["~standard"].validate(value);
  return result instanceof Promise ? result.then((made) => textOf(tool, made)) : textOf(tool, result);
}

function textOf(tool: string, result: SchemaResult<unknown>): string {
  if (result === null || typeof result !== "object") throw invalid(tool, []);
  if (result.issues !== undefined) throw invalid(tool, result.issues);
  return canonicalize(result.value);
}

/** Our own canonical text is safe to read with the native parser. */
function readCanonical(text: string): Json {
  return freezeJson(JSON.parse(text) as Json);
}

function invalid(tool: string, issues: readonly SchemaIssue[]): CountersignError {
  const first = issues[0];
  const path = pathOf(first?.path);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new CountersignError("invalid_args", `"${tool}" refuses ${path}: ${first?.message ?? "not valid"}${more}.`, {
    path,
  });
}

function pathOf(path: SchemaIssue["path"]): string {
  return ["args", ...(path ?? []).map((part) => String(typeof part === "object" ? part.key : part))].join(".");
}

function requireObject(tool: string, value: Json): JsonObject {
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new CountersignError("invalid_args", `"${tool}" takes an object of arguments, for example { "id": "7" }.`, {
      path: "args",
    });
  }
  return value as JsonObject;
}

/** A key the schema silently drops would be shown to nobody and yet be believed by the agent: refused by name. */
function refuseDropped(tool: string, sent: Json, kept: Json, path: string): void {
  if (Array.isArray(sent) && Array.isArray(kept)) {
    if (kept.length < sent.length) {
      throw new CountersignError("invalid_args", `"${tool}" would leave items of ${path} out.`, { path });
    }
    sent.forEach((item: Json, index) => {
      refuseDropped(tool, item, kept[index] as Json, `${path}.${index}`);
    });
  } else if (isObject(sent) && isObject(kept)) {
    for (const key of Object.keys(sent)) {
      if (!Object.hasOwn(kept, key)) {
        throw new CountersignError("invalid_args", `"${tool}" has no argument ${path}.${key}.`, {
          path: `${path}.${key}`,
        });
      }
      refuseDropped(tool, sent[key] as Json, kept[key] as Json, `${path}.${key}`);
    }
  }
}

function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
