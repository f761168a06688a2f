import { CountersignError } from "./errors.js";
import { sha256Hex } from "./ids.js";
import { canonicalize, type Json, type JsonObject } from "./json.js";
import { isRiskTier, type RiskTier } from "./risk.js";
import { describeSchema, type StandardSchema } from "./schema.js";

export type Effect = "read" | "write";
export type Locale = "en" | "zh";
/** Words for people: one text, or one per language. */
export type LocalText = string | { readonly en: string; readonly zh: string };
/** The same, or made from the arguments. */
export type Prompt<Args> = LocalText | ((args: Args, locale: Locale) => string);

/** A counted noun: what the call would do, told before it does it. */
export interface PredictedEffect {
  readonly kind: "create" | "update" | "delete" | "send" | "spend" | "read" | (string & {});
  /** In the singular: "task". */
  readonly noun: LocalText;
  readonly count: number;
  readonly sample?: readonly Json[];
  readonly before?: Json;
  readonly after?: Json;
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly severity: "info" | "warning" | "caution";
}

/** What a call would touch. `digest` names the state it was computed from: another digest at the claim asks anew. */
export interface Preview {
  readonly effects: readonly PredictedEffect[];
  readonly targets?: readonly string[];
  readonly warnings?: readonly Warning[];
  readonly digest?: string;
}

/** What the tool's own check says of an execution whose outcome is unknown. */
export type StatusReport =
  | { readonly type: "succeeded"; readonly result?: unknown }
  | { readonly type: "failed"; readonly error: string }
  | { readonly type: "unknown" };

/** For whom a call is made: what it would touch is looked up among their things alone. */
export type PreviewContext = Pick<ExecuteContext, "userId" | "workspaceId" | "sessionId" | "agentId">;

export interface ExecuteContext {
  readonly approvalId: string | undefined;
  /** The same for every attempt at one call: hand it to whatever deduplicates. */
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly userId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly agentId: string;
}

export interface ToolDefinition<Args = unknown, Result = unknown> {
  readonly name: string;
  /** What it does, as a heading: "Delete an event". */
  readonly title?: LocalText;
  readonly description?: string;
  /** Raise it when behaviour changes: it is part of what an approval is bound to. */
  readonly version?: string;
  /** The app or MCP server it belongs to; otherwise the part of the name before the dot. */
  readonly app?: string;
  readonly inputSchema?: StandardSchema<Args>;
  /** What people call the arguments, by their paths (`to`, `items.*.title`); where nothing is said, the schema's titles. */
  readonly labels?: Readonly<Record<string, LocalText>>;
  readonly effect?: Effect;
  readonly destructive?: boolean;
  readonly riskTier?: RiskTier;
  /** The tool's own default: ask, do not ask, or decide from the arguments. The floor for R4 stays. */
  readonly confirm?: boolean | ((args: Args) => boolean);
  readonly tags?: readonly string[];
  readonly confirmPrompt?: Prompt<Args>;
  readonly confidenceThreshold?: number;
  /** Milliseconds in which a person may decide; `offlineTtl` when nobody of the audience is connected. */
  readonly ttl?: number;
  readonly offlineTtl?: number;
  /** Milliseconds after which a running execution counts as unknown. */
  readonly timeout?: number;
  readonly provider?: string;
  readonly actionType?: string;
  /** Paths into the args whose values are masked wherever they are shown: `password`, `card.number`, `items.*.secret`. */
  readonly sensitive?: readonly string[];
  readonly cost?: number | ((args: Args) => number);
  readonly outputSize?: number | ((args: Args) => number);
  /** Effect-free by declaration. Runs before the question and again at the claim. */
  readonly preview?: (args: Args, context: PreviewContext) => Preview | Promise<Preview>;
  /** Effect-free by declaration. */
  readonly dryRun?: (args: Args) => unknown;
  readonly rollback?: {
    readonly note: LocalText;
    /** The undo, itself a gated call. */
    readonly call?: (args: Args, result: Json) => { readonly tool: string; readonly args: unknown };
  };
  readonly status?: (args: Args, context: { readonly idempotencyKey: string }) => StatusReport | Promise<StatusReport>;
  /** Running it twice with the same key does what running it once does. */
  readonly idempotent?: boolean;
  /** Absent for tools that run elsewhere: their agent claims and finishes by itself. */
  readonly execute?: (args: Args, context: ExecuteContext) => Result | Promise<Result>;
}

/** A definition that has passed its checks. */
export interface Tool<Args = unknown, Result = unknown> extends ToolDefinition<Args, Result> {
  readonly app: string;
  readonly version: string;
  readonly effect: Effect;
  readonly destructive: boolean;
  readonly tags: readonly string[];
  readonly sensitive: readonly string[];
  readonly idempotent: boolean;
  /** The command's kebab-case name, for tools made by `defineCommand`. */
  readonly command?: string;
  readonly jsonSchema?: JsonObject;
  /** Changes with the schema, the declared behaviour and the version; approvals and grants are bound to it. */
  readonly fingerprint: string;
}

/** Tools of any argument type, as registries and gates hold them. */
// oxlint-disable-next-line typescript/no-explicit-any -- arguments are contravariant; only `any` accepts every tool
export type AnyTool = Tool<any, any>;

// oxlint-disable-next-line typescript/no-explicit-any -- as above
type AnyDefinition = ToolDefinition<any, any>;

/** Printable ASCII without blanks: a name that cannot look like another one. */
const TOOL_NAME = /^[\x21-\x7e]{1,128}$/;

/**
 * A tool for a gate. Throws `invalid_tool` where the definition contradicts itself. What is left out is taken at its worst: a tool
 * that does not say that it reads is a write.
 */
export function defineTool<Args = unknown, Result = unknown>(
  definition: ToolDefinition<Args, Result>,
): Tool<Args, Result> {
  return finishTool(definition);
}

export function finishTool<Args, Result>(
  definition: ToolDefinition<Args, Result>,
  command?: string,
): Tool<Args, Result> {
  checkDefinition(definition);
  const { name, inputSchema } = definition;
  const jsonSchema = inputSchema === undefined ? undefined : describeSchema(name, inputSchema);
  const complete = {
    ...definition,
    app: definition.app ?? appOf(name),
    version: definition.version ?? "1",
    effect: definition.effect ?? ("write" as const),
    destructive: definition.destructive ?? false,
    tags: definition.tags ?? [],
    sensitive: definition.sensitive ?? [],
    idempotent: definition.idempotent ?? false,
    ...(command === undefined ? {} : { command }),
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
  };
  return Object.freeze({ ...complete, fingerprint: fingerprintOf(complete) });
}

/** The words in one language; nothing where a host without types left it out. */
export function textIn(text: LocalText | undefined, locale: Locale): string | undefined {
  const said: unknown = typeof text === "object" ? text?.[locale] : text;
  return typeof said === "string" ? said : undefined;
}

export function appOf(name: string): string {
  const mcp = /^mcp__(.+?)__/.exec(name);
  if (mcp) return mcp[1] as string;
  const dot = name.indexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}

function checkDefinition(tool: AnyDefinition): void {
  const wrong = (problem: string) => new CountersignError("invalid_tool", `The tool "${tool.name}" ${problem}`);
  if (typeof tool.name !== "string" || !TOOL_NAME.test(tool.name)) {
    throw new CountersignError("invalid_tool", "A tool's name is 1 to 128 printable ASCII characters without blanks.");
  }
  if (tool.inputSchema !== undefined && typeof tool.inputSchema?.["~standard"]?.validate !== "function") {
    throw wrong("has an inputSchema that is not a Standard Schema; zod, valibot and arktype schemas are.");
  }
  if (tool.effect !== undefined && tool.effect !== "read" && tool.effect !== "write") {
    throw wrong(`declares the effect ${JSON.stringify(tool.effect)}; it is "read" or "write".`);
  }
  if (tool.destructive === true && tool.effect === "read")
    throw wrong("declares itself destructive and a read at once.");
  if (tool.tags !== undefined && !Array.isArray(tool.tags)) throw wrong("has tags that are not a list.");
  if (tool.sensitive !== undefined && !(Array.isArray(tool.sensitive) && tool.sensitive.every(isText)))
    throw wrong("has sensitive paths that are not a list of texts.");
  if (tool.labels !== undefined && !areLabels(tool.labels)) throw wrong("has labels that are not texts by path.");
  if (tool.tags?.includes("destructive") && tool.destructive !== true) {
    throw wrong('has the tag "destructive" but not `destructive: true`; nothing would ask.');
  }
  if (tool.riskTier !== undefined && !isRiskTier(tool.riskTier)) throw wrong("declares a riskTier outside R0 to R4.");
  if (tool.riskTier === "R0" && tool.effect !== "read")
    throw wrong('declares R0 (looks only) without `effect: "read"`.');
  if (tool.destructive === true && tool.confirm === false)
    throw wrong("is destructive and cannot say `confirm: false`.");
  for (const key of ["execute", "preview", "dryRun", "status"] as const) {
    if (tool[key] !== undefined && typeof tool[key] !== "function") throw wrong(`has a ${key} that is not a function.`);
  }
  for (const key of ["ttl", "offlineTtl", "timeout"] as const) {
    const value = tool[key];
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw wrong(`has a ${key} that is not a positive number of milliseconds.`);
  }
  const threshold = tool.confidenceThreshold;
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1))
    throw wrong("has a confidenceThreshold outside 0 to 1.");
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function areLabels(labels: unknown): boolean {
  const inBoth = (text: LocalText) => (["en", "zh"] as const).every((locale) => textIn(text, locale) !== undefined);
  return labels !== null && typeof labels === "object" && !Array.isArray(labels) && Object.values(labels).every(inBoth);
}

function fingerprintOf(tool: Omit<AnyTool, "fingerprint">): string {
  const declared = (value: unknown) => (typeof value === "function" ? "function" : (value ?? null));
  return sha256Hex(
    canonicalize({
      binding: "countersign/tool/v1",
      name: tool.name,
      app: tool.app,
      version: tool.version,
      title: tool.title ?? null,
      description: tool.description ?? null,
      schema: tool.jsonSchema ?? tool.inputSchema?.["~standard"].vendor ?? null,
      // Left out where there are none: a tool that has none is the one it was before there could be any.
      ...(tool.labels === undefined ? {} : { labels: tool.labels }),
      effect: tool.effect,
      destructive: tool.destructive,
      riskTier: tool.riskTier ?? null,
      confirm: declared(tool.confirm),
      confirmPrompt: declared(tool.confirmPrompt),
      tags: [...tool.tags],
      sensitive: [...tool.sensitive],
      idempotent: tool.idempotent,
      provider: tool.provider ?? null,
      actionType: tool.actionType ?? null,
      can: {
        preview: tool.preview !== undefined,
        dryRun: tool.dryRun !== undefined,
        rollback: tool.rollback !== undefined,
      },
    }),
  );
}
