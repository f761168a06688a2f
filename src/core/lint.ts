import type { Json, JsonObject } from "./json.js";
import { hasPlace } from "./labels.js";
import { atLeast } from "./risk.js";
import type { AnyTool } from "./tool.js";
import { readVerb } from "./verbs.js";

/** One disagreement between what a tool declares, what it is called and what it says. Nothing is refused for it. */
export interface LintFinding {
  readonly tool: string;
  readonly code: LintCode;
  /** What is wrong and what to do about it, for the tool's author. */
  readonly message: string;
}

export type LintCode =
  | "read_by_a_writing_name"
  | "not_destructive_by_a_destroying_name"
  | "never_asks_and_reaches_out"
  | "tag_disagrees"
  | "destructive_below_r4"
  | "destructive_without_prompt"
  | "prompt_says_permanent"
  | "prompt_in_one_language"
  | "prompt_names_no_argument"
  | "prompt_promises_less"
  | "sensitive_path_unknown"
  | "label_path_unknown"
  | "secret_not_sensitive";

type Check = (tool: AnyTool) => Iterable<readonly [LintCode, string]>;

/** Tags under which a read is hard to believe, and those of things that cannot be taken back. */
const WRITING_TAGS = ["payment", "publish", "permissions", "bulk", "irreversible", "destructive"];
const FINAL_TAGS = ["bulk", "irreversible"];
/** Arguments that make a call reach further than its fixed sentence says. */
const WIDENING = /^(?:all|everything|recursive|force|hard|permanent|permanently|cascade|purge|every\w*|include\w*)$/i;
const SECRET =
  /^(?:.*[_-]?)?(?:password|passphrase|passwd|secret|api[_-]?key|access[_-]?token|private[_-]?key|cvv|cvc|pin)$/i;
const PERMANENT = /permanent|cannot be undone|irrevers|for good|永久|不可撤销|无法恢复|不可恢复/i;

/** What looks like a mistake in these tools; `gate.lint()` does it for those of a gate. */
export function lintTools(tools: readonly AnyTool[]): readonly LintFinding[] {
  return tools.flatMap((tool) =>
    CHECKS.flatMap((check) => [...check(tool)].map(([code, message]) => ({ tool: tool.name, code, message }))),
  );
}

function* namesAndFlags(tool: AnyTool): Iterable<readonly [LintCode, string]> {
  const { effect, destructive, verb = "", riskTier } = readVerb(tool.name);
  if (tool.effect === "read" && effect === "write") {
    yield [
      "read_by_a_writing_name",
      `It declares a read, but "${verb}" changes something. Rename it, or drop the flag.`,
    ];
  }
  if (tool.effect === "write" && destructive && !tool.destructive) {
    yield [
      "not_destructive_by_a_destroying_name",
      `"${verb}" removes things. Say \`destructive: true\`, or take a name that says what it does instead.`,
    ];
  }
  if (tool.confirm === false && riskTier !== undefined && atLeast(riskTier, "R3")) {
    yield ["never_asks_and_reaches_out", `It says \`confirm: false\`, but "${verb}" reaches beyond this system.`];
  }
}

function* tagsAndTier(tool: AnyTool): Iterable<readonly [LintCode, string]> {
  for (const tag of tool.tags) {
    const wrong = tool.effect === "read" ? WRITING_TAGS.includes(tag) : FINAL_TAGS.includes(tag) && !tool.destructive;
    if (wrong) yield ["tag_disagrees", `Its tag "${tag}" does not go with its flags (effect, destructive).`];
  }
  if (tool.destructive && tool.riskTier !== undefined && tool.riskTier !== "R4") {
    yield ["destructive_below_r4", `It is destructive and declares ${tool.riskTier}; it counts as R4 all the same.`];
  }
}

function* prompts(tool: AnyTool): Iterable<readonly [LintCode, string]> {
  const prompt = tool.confirmPrompt;
  if (prompt === undefined) {
    if (tool.destructive) {
      yield [
        "destructive_without_prompt",
        "It is destructive and has no confirmPrompt: people see a general sentence.",
      ];
    }
    return;
  }
  if (typeof prompt === "function") return;
  // Hosts without types may leave a language out.
  const texts = (typeof prompt === "string" ? [prompt] : [prompt.en, prompt.zh]).map((text?: string) => text ?? "");
  if (texts.length === 1 || texts.some((text) => text.trim() === "")) {
    yield ["prompt_in_one_language", "Its confirmPrompt has one language: give { en, zh } or a function."];
  }
  if (!tool.destructive && texts.some((text) => PERMANENT.test(text))) {
    yield [
      "prompt_says_permanent",
      "Its confirmPrompt speaks of something permanent, but it is not `destructive: true`.",
    ];
  }
  yield* promptsAndSchema(tool, texts);
}

function* promptsAndSchema(tool: AnyTool, texts: readonly string[]): Iterable<readonly [LintCode, string]> {
  const names = propertiesOf(tool.jsonSchema);
  if (names === undefined) return;
  const named = texts.map((text) => [...text.matchAll(/\{([A-Za-z0-9_]+)[^}]*\}/g)].map((match) => match[1] ?? ""));
  const unknown = new Set(named.flat().filter((name) => !Object.hasOwn(names, name)));
  for (const name of unknown) {
    yield ["prompt_names_no_argument", `Its confirmPrompt names {${name}}, which its schema does not have.`];
  }
  for (const [name, schema] of Object.entries(names)) {
    const isSwitch = member(schema, "type") === "boolean" && WIDENING.test(name);
    if (isSwitch && named.some((inText) => !inText.includes(name))) {
      yield [
        "prompt_promises_less",
        `Its confirmPrompt is the same whether \`${name}\` is true or not. Make it a function of the arguments.`,
      ];
    }
  }
}

function* secrets(tool: AnyTool): Iterable<readonly [LintCode, string]> {
  const schema = tool.jsonSchema;
  if (schema === undefined) return;
  for (const pattern of tool.sensitive) {
    if (!reaches(schema, pattern.split("."))) {
      yield ["sensitive_path_unknown", `It hides "${pattern}", a path that its schema does not have.`];
    }
  }
  for (const name of Object.keys(propertiesOf(schema) ?? {})) {
    if (SECRET.test(name) && !tool.sensitive.some((pattern) => pattern.split(".")[0] === name)) {
      yield ["secret_not_sensitive", `Its argument "${name}" looks like a secret and is not in \`sensitive\`.`];
    }
  }
}

function* labels(tool: AnyTool): Iterable<readonly [LintCode, string]> {
  for (const path of Object.keys(tool.labels ?? {})) {
    if (!hasPlace(tool.jsonSchema ?? {}, path)) {
      yield ["label_path_unknown", `It labels "${path}", a path that its schema does not have.`];
    }
  }
}

const CHECKS: readonly Check[] = [namesAndFlags, tagsAndTier, prompts, secrets, labels];

/** Whether a path leads somewhere; a schema that does not say what is inside may hold anything. */
function reaches(schema: Json | undefined, path: readonly string[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  const items = member(schema, "items");
  if (items !== undefined) return reaches(items, step === "*" || /^\d+$/.test(step) ? rest : path);
  const names = propertiesOf(schema);
  if (names === undefined) return true;
  if (step === "*") return Object.values(names).some((inside) => reaches(inside, rest));
  return Object.hasOwn(names, step) && reaches(names[step], rest);
}

function propertiesOf(schema: Json | undefined): JsonObject | undefined {
  return member(schema, "properties") as JsonObject | undefined;
}

function member(value: Json | undefined, key: string): Json | undefined {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}
