import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../api/http.js";
import { withFreshPasskey } from "../api/passkeys.js";
import { Alert } from "../ui/alert.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { useNotice } from "../ui/notice.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";

/** Says what goes and what stays before it asks. */
export function EraseDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const words = useWords();
  const tell = useNotice();
  const queries = useQueryClient();
  const erase = useMutation({
    mutationFn: () => withFreshPasskey(() => request<{ calls: number }>("DELETE", "/v1/history", {})),
    onSuccess: async ({ calls }) => {
      tell(words.history.erased(calls));
      onClose();
      await queries.invalidateQueries({ queryKey: ["history"] });
    },
  });
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => isOpen || onClose()}
      title={words.history.eraseTitle}
      lead={words.history.eraseText}
    >
      {erase.error === null ? null : <Alert urgent>{problemText(erase.error, words)}</Alert>}
      <div className="mt-4 flex justify-between gap-2">
        <Button onClick={onClose}>{words.common.cancel}</Button>
        <Button kind="danger" disabled={erase.isPending} onClick={() => erase.mutate()}>
          {words.history.eraseDo}
        </Button>
      </div>
    </Dialog>
  );
}
