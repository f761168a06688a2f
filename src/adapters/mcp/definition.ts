import { sha256Hex } from "../../core/ids.js";
import { canonicalize, type JsonObject, toPlainJson } from "../../core/json.js";
import { describeChange, diffJson } from "../../core/text/diff.js";
import type { Preview, ToolDefinition } from "../../core/tool.js";
import type { Declaration } from "../options.js";
import { fromJsonSchema } from "../schema.js";
import type { ServerSpec } from "./config.js";

/** A tool as its server lists it. All of it is the server's word. */
export interface ListedTool {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: { readonly [key: string]: unknown };
}

/** What the owner says of a server and its tools. */
export interface ServerDeclaration {
  /** The owner vouches for this server's hints: a tool that says it only reads counts as a read. */
  readonly trustHints?: boolean;
  readonly tools?: Readonly<Record<string, Declaration>>;
}

/** Every character that could make two names look or spell alike is written out; `__` parts server and tool. */
export function gateNameOf(server: string, tool: string): string {
  const name = `mcp__${encode(server).replaceAll("__", "_%5F").replace(/_$/, "%5F")}__${encode(tool)}`;
  return name.length <= 128 ? name : `${name.slice(0, 95)}~${sha256Hex(name).slice(0, 32)}`;
}

function encode(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

/** What an approval of this tool is bound to, as plain JSON. */
export function contentOf(tool: ListedTool): JsonObject {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const said = { name, title, description, inputSchema, outputSchema, annotations };
  return toPlainJson(JSON.parse(JSON.stringify(said))) as JsonObject;
}

/** The tool for the gate. Hints only ever raise, unless the owner trusts the server; what the owner declares holds. */
export function definitionOf(
  server: string,
  spec: ServerSpec,
  tool: ListedTool,
  declaration: ServerDeclaration | undefined,
  warnings: () => Preview["warnings"],
): ToolDefinition {
  const content = contentOf(tool);
  const { description, inputSchema } = content;
  const said = titleOf(tool);
  return {
    title: said === undefined ? `${server}: ${tool.name}` : `${server}: ${said}`,
    ...(typeof description === "string" ? { description } : {}),
    ...byHints(tool, declaration),
    name: gateNameOf(server, tool.name),
    app: server,
    // Another program or address under the same name is another server.
    version: sha256Hex(canonicalize([identityOf(spec), content])).slice(0, 32),
    inputSchema: fromJsonSchema((inputSchema ?? {}) as Record<string, unknown>),
    preview: () => ({ effects: [], warnings: warnings() ?? [] }),
  };
}

function titleOf({ title, annotations }: ListedTool): string | undefined {
  const said = title ?? annotations?.["title"];
  return typeof said === "string" ? said : undefined;
}

/** Arguments and headers hold keys of their own, so that only their hash is kept. */
function identityOf(spec: ServerSpec): string {
  return spec.type === "stdio" ? sha256Hex(canonicalize([spec.command, spec.args])) : sha256Hex(spec.url);
}

/** The protocol's defaults stand: a tool that does not say otherwise writes, and may destroy. */
function byHints(
  { name, annotations = {} }: ListedTool,
  declaration: ServerDeclaration | undefined,
): Omit<ToolDefinition, "name"> {
  const { tools = {}, trustHints = false } = declaration ?? {};
  const destroys = annotations["destructiveHint"] === true;
  const owner = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (owner !== undefined) {
    if (!destroys) return owner;
    const { effect: _effect, riskTier: _tier, confirm: _confirm, ...rest } = owner;
    return { ...rest, destructive: true };
  }
  const readOnly = annotations["readOnlyHint"] === true;
  if (trustHints && readOnly) return { effect: "read", riskTier: "R0" };
  const spared = annotations["destructiveHint"] === false || readOnly;
  return { effect: "write", riskTier: "R3", ...(spared ? {} : { destructive: true }) };
}

/** The differences between the definition people know and the one the server gives now, as a warning that asks. */
export function changeWarnings(pinned: JsonObject, now: JsonObject): Preview["warnings"] {
  const changes = diffJson(pinned, now);
  if (changes.length === 0) return [];
  const message = `The server changed what this tool is: ${changes.map((change) => describeChange(change)).join("; ")}`;
  return [{ code: "TOOL_DEFINITION_CHANGED", message, severity: "caution" }];
}
