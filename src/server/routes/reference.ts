import { type AnyRoute, ok, route } from "../http/route.js";
import { type OpenApiDocument, openApiOf } from "../reference/openapi.js";
import { REFERENCE_POLICY, referencePage } from "../reference/page.js";

/** The server describes itself: these routes and all others, from the schemas that validate them. */
export function referenceRoutes(others: readonly AnyRoute[]): AnyRoute[] {
  let written: OpenApiDocument | undefined;
  const document = () => (written ??= openApiOf([...others, ...own]));
  const own: AnyRoute[] = [
    route({
      method: "get",
      path: "/openapi.json",
      tag: "Operations",
      summary: "This API as an OpenAPI 3.1 document",
      access: "anyone",
      answers: { 200: { description: "The document", type: "application/json" } },
      handle: async () => ok(document()),
    }),
    route({
      method: "get",
      path: "/reference",
      tag: "Operations",
      summary: "This API as a page to read",
      access: "anyone",
      answers: { 200: { description: "The page", type: "text/html" } },
      handle: async () =>
        new Response(referencePage(document()), {
          headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": REFERENCE_POLICY },
        }),
    }),
  ];
  return own;
}
