import type { StandardSchema } from "../core/schema.js";

/** A schema that says itself in JSON Schema and checks a value, as frameworks keep them beside Standard Schemas. */
interface DescribedSchema {
  readonly jsonSchema?: unknown;
  readonly validate?: (value: unknown) => Checked | PromiseLike<Checked>;
}

type Checked = { readonly success: true; readonly value: unknown } | { readonly success: false; readonly error: Error };

/** Standard Schemas pass as they are; a JSON Schema pins what it says and leaves checking to its framework. */
export function standardSchema(schema: unknown): StandardSchema | undefined {
  const given: unknown = typeof schema === "function" && !isStandard(schema) ? (schema as () => unknown)() : schema;
  if (given === undefined || given === null) return undefined;
  if (isStandard(given)) return given;
  const { jsonSchema, validate } = given as DescribedSchema;
  const described = isPlainObject(jsonSchema)
    ? jsonSchema
    : isPlainObject(given) && jsonSchema === undefined
      ? given
      : {};
  return fromJsonSchema(described as Record<string, unknown>, validate);
}

export function fromJsonSchema(
  described: Record<string, unknown>,
  validate?: DescribedSchema["validate"],
): StandardSchema {
  const say = () => described;
  return {
    "~standard": {
      vendor: "json-schema",
      validate: async (value) => {
        const checked = validate === undefined ? { success: true as const, value } : await validate(value);
        return checked.success ? { value: checked.value } : { issues: [{ message: checked.error.message }] };
      },
      jsonSchema: { input: say, output: say },
    },
  };
}

function isStandard(schema: unknown): schema is StandardSchema {
  return typeof (schema as StandardSchema | null)?.["~standard"]?.validate === "function";
}

function isPlainObject(value: unknown): value is object {
  return value !== null && typeof value === "object" && typeof (value as PromiseLike<unknown>).then !== "function";
}
