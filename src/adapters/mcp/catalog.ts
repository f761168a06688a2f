import type { JsonObject } from "../../core/json.js";
import { type AttachedTool, attach } from "../attach.js";
import type { GateLike } from "../gate-like.js";
import type { ServerSpec } from "./config.js";
import { changeWarnings, contentOf, definitionOf, type ListedTool, type ServerDeclaration } from "./definition.js";
import type { Link } from "./link.js";
import type { Params } from "./message.js";
import type { Pins } from "./pins.js";

/** A tool that can be called through the gateway. */
export interface KnownTool {
  readonly listed: ListedTool;
  readonly content: JsonObject;
  readonly attached: AttachedTool;
  /** What is different from the definition that people know; empty where nothing is. */
  readonly changes: () => readonly string[];
}

/** A list that does not end is not read on for ever. */
const MAX_PAGES = 100;

/** What one server's tools are, as it told last. Only listed tools can be called. */
export class Catalog {
  readonly #gate: GateLike;
  readonly #link: Link;
  readonly #spec: ServerSpec;
  readonly #declaration: ServerDeclaration | undefined;
  readonly #pins: Pins;
  readonly #tools = new Map<string, KnownTool>();
  #fresh: Promise<void> | undefined;

  constructor(gate: GateLike, link: Link, spec: ServerSpec, pins: Pins, declaration?: ServerDeclaration) {
    this.#gate = gate;
    this.#link = link;
    this.#spec = spec;
    this.#pins = pins;
    this.#declaration = declaration;
  }

  /** The server says that its tools are others now: they are read again before the next call. */
  outdated(): void {
    this.#fresh = undefined;
  }

  async find(name: string, meta?: Params["_meta"]): Promise<KnownTool | undefined> {
    const known = this.#tools.get(name);
    if (known !== undefined && this.#fresh !== undefined) return known;
    this.#fresh ??= this.#read(meta);
    await this.#fresh;
    return this.#tools.get(name);
  }

  /** A person has seen and approved a call of this tool as it is now. */
  accept({ listed, content }: KnownTool): void {
    this.#pins.accept(this.#link.server, listed.name, content);
  }

  /** Learns from a list that passes through, or that was asked for. */
  learn(tools: unknown): void {
    for (const tool of Array.isArray(tools) ? (tools as ListedTool[]) : []) {
      const known = this.#know(tool);
      if (known !== undefined) this.#tools.set(tool.name, known);
    }
  }

  /** A definition that cannot be bound to a hash cannot be approved, so that its tool cannot be called. */
  #know(listed: ListedTool): KnownTool | undefined {
    const { server } = this.#link;
    try {
      const content = contentOf(listed);
      const warnings = () => changeWarnings(this.#pins.pinned(server, listed.name, content), content);
      // On first sight this pins the tool.
      warnings();
      const definition = definitionOf(server, this.#spec, listed, this.#declaration, warnings);
      const changes = () => (warnings() ?? []).map(({ message }) => message);
      return { listed, content, attached: attach(this.#gate, definition, true, true), changes };
    } catch {
      return undefined;
    }
  }

  async #read(meta: Params["_meta"]): Promise<void> {
    this.#tools.clear();
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = { ...(cursor === undefined ? {} : { cursor }), ...(meta === undefined ? {} : { _meta: meta }) };
      const answer = await this.#link.request("tools/list", params);
      if (!("result" in answer)) {
        this.#fresh = undefined;
        return;
      }
      this.learn(answer.result["tools"]);
      cursor = answer.result["nextCursor"];
      if (typeof cursor !== "string") return;
    }
  }
}
