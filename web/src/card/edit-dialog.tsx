import type { Card, JsonObject } from "countersign";
import type { ApprovalView } from "countersign/client";
import { Tabs } from "radix-ui";
import { lazy, Suspense, useEffect, useState } from "react";
import { draft } from "../api/approvals.js";
import { useTool } from "../api/tools.js";
import { argsOf } from "../inbox/groups.js";
import { usePreferences } from "../shell/preferences.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { editableJson } from "../ui/json-text.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";
import { ArgForm } from "./arg-form.js";
import { EditReview } from "./edit-review.js";
import { ReadingProvider } from "./reading.js";

const JsonEditor = lazy(() => import("./json-editor.js").then((module) => ({ default: module.JsonEditor })));

interface EditDialogProps {
  readonly approval: ApprovalView;
  readonly card: Card;
  readonly open: boolean;
  readonly onClose: () => void;
}

interface Edited {
  readonly card: Card;
  readonly args: JsonObject;
  /** The call that it was compared with. */
  readonly against: string;
}

/** Other arguments are another call: it is drawn and judged anew before it can be approved. */
export function EditDialog({ approval, card, open, onClose }: EditDialogProps) {
  const words = useWords();
  const [latest, setReviewed] = useState<Edited>();
  // Somebody was faster: what was compared with an older call is compared again.
  const reviewed = latest?.against === card.toolCallHash ? latest : undefined;
  useEffect(() => {
    if (!open) setReviewed(undefined);
  }, [open]);
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => isOpen || onClose()}
      title={reviewed === undefined ? words.edit.title : words.edit.check}
      wide
    >
      {reviewed === undefined ? null : (
        <ReadingProvider key={reviewed.card.cardHash}>
          <EditReview
            approval={approval}
            before={card}
            edited={reviewed}
            onBack={() => setReviewed(undefined)}
            onDone={onClose}
          />
        </ReadingProvider>
      )}
      <div hidden={reviewed !== undefined}>
        <Editor approval={approval} card={card} onReview={setReviewed} />
      </div>
    </Dialog>
  );
}

interface EditorProps {
  readonly approval: ApprovalView;
  readonly card: Card;
  readonly onReview: (edited: Edited) => void;
}

const TAB =
  "border-b-2 border-transparent px-3 py-2 text-muted data-[state=active]:border-accent data-[state=active]:text-ink";

function Editor({ approval, card, onReview }: EditorProps) {
  const words = useWords();
  const { locale } = usePreferences();
  const original = argsOf(card.toolCallCanonical) as JsonObject;
  const [args, setArgs] = useState<JsonObject>(original);
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [begunWith] = useState(card.toolCallHash);
  const tool = useTool(approval.tool);
  const switchTo = (tab: string) => {
    if (tab === "json") return setText(editableJson(args));
    setArgs(text === undefined ? args : (read(text).args ?? args));
    setText(undefined);
  };
  const review = async () => {
    const { args: wanted = args, problem: wrong } = text === undefined ? { args } : read(text);
    if (wrong !== undefined) return setProblem(words.edit.invalid(wrong));
    setProblem(undefined);
    try {
      const { card: drafted } = await draft(approval.approvalId, wanted, locale);
      if (drafted.toolCallHash === card.toolCallHash) return setProblem(words.edit.unchanged);
      onReview({ card: drafted, args: wanted, against: card.toolCallHash });
    } catch (error) {
      setProblem(problemText(error, words));
    }
  };
  return (
    <div className="grid gap-4">
      {begunWith === card.toolCallHash ? null : (
        <Alert tone="amber" urgent>
          {words.edit.meanwhile}
        </Alert>
      )}
      <Tabs.Root defaultValue="form" onValueChange={switchTo}>
        <Tabs.List className="mb-3 flex border-b border-line">
          <Tabs.Trigger value="form" className={TAB}>
            {words.edit.form}
          </Tabs.Trigger>
          <Tabs.Trigger value="json" className={TAB}>
            {words.edit.json}
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="form">
          <ArgForm value={args} schema={tool?.inputSchema} onChange={setArgs} />
        </Tabs.Content>
        <Tabs.Content value="json">
          <Suspense fallback={<p className="text-muted">{words.common.loading}</p>}>
            <JsonEditor value={text ?? editableJson(args)} onChange={setText} label={words.edit.json} />
          </Suspense>
        </Tabs.Content>
      </Tabs.Root>
      {hasHidden(card) ? <p className="text-sm text-muted">{words.edit.hidden}</p> : null}
      {problem === undefined ? null : (
        <Alert tone="amber" urgent>
          {problem}
        </Alert>
      )}
      <Button kind="filled" onClick={() => void review()}>
        {words.edit.review}
      </Button>
    </div>
  );
}

/** What it says is the server's to judge; here it only has to be an object. */
function read(text: string): { readonly args?: JsonObject; readonly problem?: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object" || Array.isArray(value)) return { problem: "{ … }" };
    return { args: value as JsonObject };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function hasHidden(card: Card): boolean {
  const hides = (value: Card["arguments"][number]["value"]): boolean =>
    value.kind === "hidden" || ("children" in value && value.children.some(hides));
  return card.arguments.some(({ value }) => hides(value));
}
