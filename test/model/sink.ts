import { z } from "zod";
import type { Approval } from "../../src/core/approval.js";
import { decodeApproval } from "../../src/core/codec.js";
import type { Store } from "../../src/core/ports.js";
import { type AnyTool, defineTool, type ExecuteContext } from "../../src/core/tool.js";
import { type Args, TIMEOUT, TOOLS } from "./cast.js";

/** One effect, as the outside world saw it. */
export interface Effect {
  readonly approvalId: string;
  readonly pid: number;
  readonly at: number;
  readonly args: Args;
  /** The record as an independent reader found it the moment the effect began. */
  readonly record: Promise<Approval | undefined>;
  release: (() => void) | undefined;
}

/** Where effects happen. It believes nobody: it counts by itself and looks into the store through its own connection. */
export class Sink {
  readonly effects: Effect[] = [];
  readonly #observer: Pick<Store, "get">;
  readonly #now: () => number;

  constructor(observer: Pick<Store, "get">, now: () => number) {
    this.#observer = observer;
    this.#now = now;
  }

  of(approvalId: string | undefined): Effect[] {
    return this.effects.filter((effect) => effect.approvalId === approvalId);
  }

  /** The same tools in every process; each tells the sink which process it ran in. */
  toolsOf(pid: number): AnyTool[] {
    return Object.entries(TOOLS).map(([name, { hosted, asks }]) =>
      defineTool({
        name,
        inputSchema: z.strictObject({ n: z.number(), wait: z.boolean(), fails: z.boolean() }),
        riskTier: "R1",
        confirm: asks,
        timeout: TIMEOUT,
        ...(hosted ? { execute: (args: Args, context: ExecuteContext) => this.#happen(pid, args, context) } : {}),
      }),
    );
  }

  async #happen(pid: number, args: Args, { approvalId = "" }: ExecuteContext): Promise<number> {
    const record = this.#observer.get("approval", approvalId).then((found) => found && decodeApproval(found));
    const effect: Effect = { approvalId, pid, at: this.#now(), args, record, release: undefined };
    this.effects.push(effect);
    // A reader that takes its time must still see the record as it was before the effect ended.
    await record;
    if (args.wait) {
      await new Promise<void>((resolve) => {
        effect.release = resolve;
      });
      effect.release = undefined;
    }
    if (args.fails) throw new Error("as told");
    return args.n;
  }
}
