import { CountersignError } from "../../core/errors.js";
import type { Gate } from "../../core/gate.js";
import type { Clock, Notice } from "../../core/ports.js";
import type { AnyTool } from "../../core/tool.js";
import { type AgentPrincipal, covers, type Identity } from "../identity/index.js";
import { type DeclaredToolForm, declaredTool } from "../wire/tools.js";
import { declaredToolFrom } from "./declared.js";

const LOOK_EVERY = 1_000;
const PAGE = 200;
const MAX_PER_AGENT = 500;

/**
 * The tools that agents have declared, kept by identity and known to the gate: after a start, and within a second when another
 * instance was told.
 */
export class ToolShelf {
  readonly #gate: Gate;
  readonly #identity: Identity;
  readonly #clock: Clock;
  readonly #notice: Notice;
  #seen = 0;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(gate: Gate, identity: Identity, clock: Clock, notice: Notice) {
    this.#gate = gate;
    this.#identity = identity;
    this.#clock = clock;
    this.#notice = notice;
  }

  async open(): Promise<void> {
    await this.refresh();
    this.#schedule();
  }

  /** Takes what an agent says of its tools. All of them or none; those of the gate itself are not replaced. */
  async declare(by: AgentPrincipal, forms: readonly DeclaredToolForm[]): Promise<readonly AnyTool[]> {
    const { workspaceId, agentId, scopes } = by;
    const tools = forms.map(declaredToolFrom);
    for (const tool of tools) {
      // By its name: which app a tool belongs to is what the agent says of it, and so cannot bring it into a scope.
      if (!covers(scopes, { name: tool.name })) {
        throw new CountersignError("not_permitted", `This key's scopes do not cover "${tool.name}".`, {
          path: "tools",
        });
      }
      if (this.#gate.registry.find(tool.name) !== undefined) {
        throw new CountersignError("duplicate_tool", `"${tool.name}" is a tool of the gate itself; rename yours.`);
      }
    }
    const known = new Set(this.#gate.registry.declared(by).map(({ name }) => name));
    const names = new Set([...known, ...tools.map(({ name }) => name)]);
    if (names.size > MAX_PER_AGENT) {
      throw new CountersignError("invalid_request", `An agent declares at most ${MAX_PER_AGENT} tools.`, {
        path: "tools",
      });
    }
    const kept = forms.map((form) => ({ name: form.name, definition: JSON.stringify(form) }));
    await this.#identity.tools.declare({ workspaceId, agentId }, kept);
    await this.refresh();
    return tools;
  }

  /** Reads what is new. One after the other, so that an older word never replaces a newer one. */
  refresh(): Promise<void> {
    this.#looking = this.#looking.catch(() => undefined).then(() => this.#read());
    return this.#looking;
  }

  async #read(): Promise<void> {
    for (;;) {
      const rows = await this.#identity.tools.after(this.#seen, PAGE);
      for (const { workspaceId, agentId, name, definition, sequence } of rows) {
        try {
          const tool = declaredToolFrom(declaredTool.parse(JSON.parse(definition)) as DeclaredToolForm);
          this.#gate.registry.declare({ workspaceId, agentId }, tool);
        } catch (error) {
          // Its calls are refused as those of an unknown tool; everybody else's go on.
          this.#notice("tool.not_loaded", { tool: name, agentId, why: (error as Error).message });
        }
        this.#seen = sequence;
      }
      if (rows.length < PAGE) return;
    }
  }

  #schedule(): void {
    this.#cancel = this.#clock.timer(LOOK_EVERY, () => {
      void this.refresh()
        .catch((error: Error) => this.#notice("tools.refresh_failed", { why: error.message }))
        .finally(() => {
          if (this.#cancel !== undefined) this.#schedule();
        });
    });
  }

  async close(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#looking.catch(() => undefined);
  }
}
