import type { z } from "zod";
import type { JsonObject } from "../../core/json.js";
import type { Access, AnyRoute } from "../http/route.js";
import { problem } from "../wire/common.js";
import { type Components, jsonSchemaOf } from "./schemas.js";

export interface OpenApiDocument extends JsonObject {
  readonly paths: { readonly [path: string]: { readonly [method: string]: JsonObject } };
}

/** Of the paths under /v1, not of the package. */
const API_VERSION = "1.0.0";

/** The OpenAPI 3.1 document of these routes, from the very schemas that validate them. */
export function openApiOf(routes: readonly AnyRoute[]): OpenApiDocument {
  const components: Components = new Map();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route, components) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version: API_VERSION,
      description:
        "Every tool call passes one gate: it runs, is refused, or waits until a person has seen exactly what will run. Refusals are problem documents (RFC 9457) with a stable code.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "countersign",
          description: "A person signed in, in a browser.",
        },
        terminal: { type: "http", scheme: "bearer", description: "A person's terminal session (css_…)." },
        key: { type: "http", scheme: "bearer", description: "An agent's API key (csk_…) or a device's token (csd_…)." },
      },
    },
  };
}

const SECURITY: Readonly<Record<Access, readonly JsonObject[]>> = {
  anyone: [],
  session: [{ session: [] }, { terminal: [] }],
  person: [{ session: [] }, { terminal: [] }],
  agent: [{ key: [] }],
  caller: [{ key: [] }, { session: [] }, { terminal: [] }],
};

function operationOf(route: AnyRoute, components: Components): JsonObject {
  const { method, path, tag, summary, access, permission, body, answers } = route;
  const responses = Object.entries(answers as AnyRoute["answers"]).map(([status, { description, schema, type }]) => {
    const content = schema === undefined ? type && { [type]: {} } : contentOf(schema, components);
    return [status, { description, ...(content === undefined || content === "" ? {} : { content }) }];
  });
  return {
    operationId: operationIdOf(method, path),
    tags: [tag],
    summary,
    ...(permission === undefined ? {} : { description: `Needs a role with the permission ${permission}.` }),
    security: [...SECURITY[access as Access]],
    parameters: parametersOf(route, components),
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: !body.safeParse({}).success, content: contentOf(body, components) },
        }),
    responses: {
      ...Object.fromEntries(responses),
      default: { description: "Refused", content: contentOf(problem, components, "application/problem+json") },
    },
  };
}

function contentOf(schema: z.ZodType, components: Components, type = "application/json"): JsonObject {
  return { [type]: { schema: jsonSchemaOf(schema, components) } };
}

/** `post /v1/approvals/{approvalId}/dry-run` is `postApprovalsByApprovalIdDryRun`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/v1/, "")
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => `by-${name}`)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
  return [method, ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}

function parametersOf({ access, method, params, query }: AnyRoute, components: Components): JsonObject[] {
  return [
    ...fieldsOf("path", params, components),
    ...fieldsOf("query", query, components),
    ...(access === "person" || access === "caller" ? [WORKSPACE] : []),
    ...(method === "get" || access === "anyone" ? [] : [IDEMPOTENCY]),
  ];
}

const WORKSPACE: JsonObject = {
  name: "Countersign-Workspace",
  in: "header",
  required: false,
  description: "Which of a person's workspaces is meant; not needed with one.",
  schema: { type: "string" },
};

const IDEMPOTENCY: JsonObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Sent again with the same key, the request is answered as the first time and does nothing.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

function fieldsOf(place: "path" | "query", shape: z.ZodType | undefined, components: Components): JsonObject[] {
  if (shape === undefined) return [];
  const fields = (shape as z.ZodObject).shape as Record<string, z.ZodType>;
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: place,
    required: !field.isOptional(),
    schema: jsonSchemaOf(field, components),
  }));
}
