import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../../core/json.js";
import type { OpenApiDocument } from "./openapi.js";

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: #8884; --soft: #8881; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem 6rem; }
h1, h2 { line-height: 1.2; }
nav ul { columns: 14rem; padding-left: 1.2rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { cursor: pointer; padding: .5rem .75rem; }
summary code { font-weight: 600; }
details > div { border-top: 1px solid var(--line); padding: .25rem .75rem .75rem; }
pre { background: var(--soft); border-radius: 6px; overflow: auto; padding: .75rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
`;

/** Nothing runs on this page and nothing is loaded: its own style, by its hash, is all that a browser lets through. */
export const REFERENCE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The API reference as one page without scripts. */
export function referencePage(document: OpenApiDocument): string {
  const { info, tags, components } = document as unknown as {
    readonly info: { readonly title: string; readonly description: string; readonly version: string };
    readonly tags: readonly { readonly name: string }[];
    readonly components: { readonly schemas: JsonObject };
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as Operation,
    })),
  );
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<section id="${anchor(name)}"><h2>${text(name)}</h2>${own.map(operationHtml).join("")}</section>`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${text(name)}"><summary><code>${text(name)}</code></summary><div>${json(schema)}</div></details>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API</title><style>${STYLE}</style></head>
<body><h1>${text(info.title)} API ${text(info.version)}</h1><p>${text(info.description)}</p>
<p>The same as a file: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<nav aria-label="Sections"><ul>${tags.map(({ name }) => `<li><a href="#${anchor(name)}">${text(name)}</a></li>`).join("")}<li><a href="#schemas">Schemas</a></li></ul></nav>
<main>${sections.join("")}<section id="schemas"><h2>Schemas</h2>${schemas.join("")}</section></main></body></html>`;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly security: readonly JsonObject[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly content: JsonObject };
  readonly responses: { readonly [status: string]: { readonly description: string; readonly content?: JsonObject } };
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const { summary, description, parameters, requestBody, responses, security, operationId } = operation;
  const who = security.length === 0 ? "anyone" : security.flatMap((each) => Object.keys(each)).join(", ");
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><td><code>${text(name)}</code></td><td>${text(place)}${required ? ", required" : ""}</td><td><code>${text(JSON.stringify(schema))}</code></td></tr>`,
  );
  return `<details id="${text(operationId)}"><summary><code>${text(method.toUpperCase())} ${text(path)}</code> ${text(summary)}</summary><div>
<p>For: ${text(who)}.${description === undefined ? "" : ` ${text(description)}`}</p>
${rows.length === 0 ? "" : `<table><thead><tr><th>Parameter</th><th>Where</th><th>Form</th></tr></thead><tbody>${rows.join("")}</tbody></table>`}
${requestBody === undefined ? "" : `<h3>Body</h3>${json(requestBody.content)}`}
<h3>Answers</h3>${Object.entries(responses)
    .map(
      ([status, answer]) =>
        `<p><strong>${text(status)}</strong> ${text(answer.description)}</p>${answer.content === undefined ? "" : json(answer.content)}`,
    )
    .join("")}</div></details>`;
}

function json(value: Json): string {
  return `<pre tabindex="0">${text(JSON.stringify(value, null, 2))}</pre>`;
}

function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function text(raw: string): string {
  return raw.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] as string);
}
