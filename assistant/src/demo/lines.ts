import type { Household } from "../household/household.js";
import type { Bilingual, StepName } from "./script.js";

/** What the demo agent said. `asked` and `ended` frame a step, so that a restart knows where it was. */
export interface DemoLine extends Bilingual {
  readonly seq: number;
  readonly at: string;
  readonly kind: "said" | `asked:${StepName}` | `ended:${StepName}`;
  readonly approvalId?: string;
}

interface Row extends Bilingual {
  readonly seq: number;
  readonly at: string;
  readonly kind: DemoLine["kind"];
  readonly approval_id: string | null;
}

export class DemoLines {
  readonly #household: Household;

  constructor(household: Household) {
    this.#household = household;
  }

  add(workspaceId: string, kind: DemoLine["kind"], { en, zh }: Bilingual, approvalId?: string): void {
    this.#household.run(
      "INSERT INTO demo_line (workspace_id, at, kind, en, zh, approval_id) VALUES (?, ?, ?, ?, ?, ?)",
      ...[workspaceId, this.#household.now(), kind, en, zh, approvalId ?? null],
    );
  }

  after(workspaceId: string, seq: number): DemoLine[] {
    return this.#household
      .all<Row>("SELECT * FROM demo_line WHERE workspace_id = ? AND seq > ? ORDER BY seq", workspaceId, seq)
      .map(({ approval_id, seq: number, at, kind, en, zh }) => ({
        seq: number,
        at,
        kind,
        en,
        zh,
        ...(approval_id === null ? {} : { approvalId: approval_id }),
      }));
  }

  /** Steps that were asked and have not ended. */
  open(workspaceId: string): { readonly step: StepName; readonly approvalId: string }[] {
    const lines = this.after(workspaceId, 0);
    const ended = new Set(
      lines.filter(({ kind }) => kind.startsWith("ended:")).map(({ kind }) => kind.slice("ended:".length)),
    );
    return lines.flatMap(({ kind, approvalId }) => {
      const step = kind.slice("asked:".length);
      const isOpen = kind.startsWith("asked:") && approvalId !== undefined && !ended.has(step);
      return isOpen ? [{ step: step as StepName, approvalId: approvalId ?? "" }] : [];
    });
  }

  clear(workspaceId: string): void {
    this.#household.run("DELETE FROM demo_line WHERE workspace_id = ?", workspaceId);
  }
}
