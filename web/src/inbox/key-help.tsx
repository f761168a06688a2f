import { Dialog } from "../ui/dialog.js";
import { useWords } from "../words/words.js";

export function KeyHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const words = useWords().keys;
  const keys: readonly (readonly [string, string])[] = [
    ["j", words.next],
    ["k", words.previous],
    ["o", words.open],
    ["a", words.approve],
    ["d", words.deny],
    ["e", words.edit],
    ["/", words.search],
    ["?", words.help],
  ];
  return (
    <Dialog open={open} onOpenChange={(isOpen) => isOpen || onClose()} title={words.title}>
      <dl className="grid grid-cols-[3rem_1fr] gap-y-2">
        {keys.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-edge bg-sheet px-2 py-0.5 font-mono text-sm">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
