import type { ApprovalView } from "countersign/client";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import { useLocation } from "wouter";
import { useTool } from "../api/tools.js";
import { useMedia } from "../shell/preferences.js";
import { Button } from "../ui/button.js";
import { useWords } from "../words/words.js";
import { DryRunDialog } from "./dry-run-dialog.js";
import { HandOverDialog } from "./hand-over-dialog.js";

const ITEM = "cursor-pointer rounded px-3 py-2 outline-none data-[highlighted]:bg-wash";

/** What is needed now and then. */
export function MoreMenu({ approval }: { readonly approval: ApprovalView }) {
  const words = useWords();
  const [dialog, setDialog] = useState<"dry-run" | "hand-over">();
  const [path, go] = useLocation();
  const full = `/approvals/${approval.approvalId}/full`;
  const isWhole = !useMedia("(min-width: 768px)") || path === full;
  // Offered until it is known that the tool has none.
  const canTry = useTool(approval.tool)?.can.dryRun !== false;
  const close = () => setDialog(undefined);
  return (
    <>
      {/* Beside it the page stays what it was, for whoever reads it aloud, too. */}
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button kind="plain" className="max-sm:px-2">
            {words.decide.more}
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal container={document.getElementById("content")}>
          <DropdownMenu.Content
            className="appear z-50 min-w-44 rounded border border-line bg-sheet p-1"
            sideOffset={6}
            collisionPadding={8}
          >
            {canTry ? (
              <DropdownMenu.Item className={ITEM} onSelect={() => setDialog("dry-run")}>
                {words.decide.dryRun}
              </DropdownMenu.Item>
            ) : null}
            <DropdownMenu.Item className={ITEM} onSelect={() => setDialog("hand-over")}>
              {words.decide.handOver}
            </DropdownMenu.Item>
            {isWhole ? null : (
              <DropdownMenu.Item className={ITEM} onSelect={() => go(full)}>
                {words.card.full}
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={ITEM} onSelect={() => go(`/audit/${approval.approvalId}`)}>
              {words.card.timeline}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <DryRunDialog approval={approval} open={dialog === "dry-run"} onClose={close} />
      <HandOverDialog approval={approval} open={dialog === "hand-over"} onClose={close} />
    </>
  );
}
