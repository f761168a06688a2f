import { CountersignError } from "./errors.js";
import { sha256Hex } from "./ids.js";
import { type AnyTool, type Prompt, textIn } from "./tool.js";
import { readVerb } from "./verbs.js";

/** What frontends and streams are told of a command, the same through every conversion. */
export interface CommandMetadata {
  readonly name: string;
  readonly description: string;
  readonly destructive: boolean;
  readonly mutation: boolean;
  readonly tags: readonly string[];
  readonly confirmPrompt?: string;
}

/** The agent of a workspace whose own tools are meant. */
interface Declarer {
  readonly workspaceId: string;
  readonly agentId: string;
}

/**
 * The tools a gate knows. A name comes from a model, so look-ups go through a map, where `constructor` is nobody. `todo.delete`
 * and `todo-delete` are one tool; two tools that one spelling, or one wire name, would reach are refused when added.
 */
export interface Registry {
  add(...tools: readonly AnyTool[]): void;
  /** The same tool, defined anew: what was bound to its old fingerprint, questions and grants, no longer holds. */
  replace(tool: AnyTool): void;
  /** What an agent that runs its tools itself says they are. It speaks for itself alone; a later word replaces an earlier one. */
  declare(by: Declarer, ...tools: readonly AnyTool[]): void;
  /** The gate's own tool of that name, else the one that this agent has declared. */
  find(name: string, by?: Declarer): AnyTool | undefined;
  /** What an agent has declared. */
  declared(by: Declarer): readonly AnyTool[];
  /** Finds by the name given to protocols that allow only letters, digits, `_` and `-`. */
  findByWireName(wireName: string): AnyTool | undefined;
  list(): readonly AnyTool[];
  getCommandMetadata(name: string): CommandMetadata | undefined;
  listCommandsWithMetadata(): readonly CommandMetadata[];
}

/** A registry with these tools; a gate makes its own from `tools`. Throws `duplicate_tool` where two share a name. */
export function createRegistry(tools: readonly AnyTool[] = []): Registry {
  const bySpelling = new Map<string, AnyTool>();
  const byWireName = new Map<string, AnyTool>();
  const byDeclarer = new Map<string, Map<string, AnyTool>>();

  const registry: Registry = {
    add(...added) {
      for (const tool of added) {
        // Both are looked at before either is taken: a tool that is refused leaves no trace.
        checkFree(bySpelling, spellingOf(tool.name), tool, "name");
        checkFree(byWireName, wireNameOf(tool.name), tool, "wire name");
        bySpelling.set(spellingOf(tool.name), tool);
        byWireName.set(wireNameOf(tool.name), tool);
      }
    },
    replace(tool) {
      const known = registry.find(tool.name);
      if (known?.name !== tool.name) {
        throw new CountersignError("unknown_tool", `There is no tool "${tool.name}" here to replace.`);
      }
      bySpelling.set(spellingOf(tool.name), tool);
      byWireName.set(wireNameOf(tool.name), tool);
    },
    declare(by, ...added) {
      const own = byDeclarer.get(declarerKey(by)) ?? new Map<string, AnyTool>();
      for (const tool of added) {
        // One name, one meaning: an agent cannot put a tool of its own in the place of the gate's.
        checkFree(bySpelling, spellingOf(tool.name), tool, "name");
        own.set(spellingOf(tool.name), tool);
      }
      byDeclarer.set(declarerKey(by), own);
    },
    find(name, by) {
      const spelling = spellingOf(name);
      return bySpelling.get(spelling) ?? (by && byDeclarer.get(declarerKey(by))?.get(spelling));
    },
    declared: (by) => [...(byDeclarer.get(declarerKey(by))?.values() ?? [])],
    findByWireName: (wireName) => byWireName.get(wireName),
    list: () => [...bySpelling.values()],
    getCommandMetadata(name) {
      const tool = registry.find(name);
      return tool && metadataOf(tool);
    },
    listCommandsWithMetadata: () => registry.list().map(metadataOf),
  };
  registry.add(...tools);
  return registry;
}

function declarerKey({ workspaceId, agentId }: Declarer): string {
  return JSON.stringify([workspaceId, agentId]);
}

function checkFree(names: ReadonlyMap<string, AnyTool>, key: string, tool: AnyTool, what: string): void {
  const other = names.get(key);
  if (other !== undefined) {
    throw new CountersignError(
      "duplicate_tool",
      `"${tool.name}" and "${other.name}" share the ${what} "${key}"; rename one.`,
    );
  }
}

/** `todo.delete` and `todo-delete` are the same tool, so both have the same spelling key. */
function spellingOf(name: string): string {
  return String(name).replace(".", "-");
}

/** Fits `^[a-zA-Z0-9_-]{1,64}$`, the form model APIs and MCP accept; long names end in a hash so that they stay distinct. */
export function wireNameOf(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  return safe.length <= 64 ? safe : `${safe.slice(0, 55)}_${sha256Hex(name).slice(0, 8)}`;
}

function metadataOf(tool: AnyTool): CommandMetadata {
  const prompt = staticPrompt(tool.confirmPrompt);
  return {
    name: tool.command ?? tool.name,
    description: tool.description ?? textIn(tool.title, "en") ?? tool.name,
    destructive: tool.destructive,
    mutation: tool.effect === "write",
    tags: tool.tags,
    ...(prompt === undefined ? {} : { confirmPrompt: prompt }),
  };
}

/** A prompt that depends on the arguments has no static text; saying a wrong one would be worse than none. */
function staticPrompt(prompt: Prompt<never> | undefined): string | undefined {
  return typeof prompt === "function" ? undefined : textIn(prompt, "en");
}

/** Whether a call changes anything: by declaration first, else by a careful reading of the verb. Unknown counts as a write. */
export function isWriteTool(tool: string | AnyTool, registry?: Registry): boolean {
  const declared = typeof tool === "string" ? registry?.find(tool) : tool;
  if (declared !== undefined) return declared.effect === "write";
  return readVerb(tool as string).effect !== "read";
}

/** Whether a call is hard to undo: by declaration first, else by a careful reading of the verb. */
export function isDestructiveTool(tool: string | AnyTool, registry?: Registry): boolean {
  const declared = typeof tool === "string" ? registry?.find(tool) : tool;
  return declared !== undefined ? declared.destructive : readVerb(tool as string).destructive;
}
