import { useState } from "react";
import { useWords } from "../words/words.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";

interface AskFirstProps {
  readonly label: string;
  readonly title: string;
  /** What stops working, and whether it can come back. */
  readonly text: string;
  /** The act by its name, where the label says too little beside "Cancel". */
  readonly verb?: string;
  readonly onYes: () => void;
  readonly disabled?: boolean;
  readonly small?: boolean;
  readonly className?: string;
}

/** A button for what ends something: it says what will stop before it does. Escape, Cancel and a click beside it change nothing. */
export function AskFirst({ label, title, text, verb = label, onYes, ...button }: AskFirstProps) {
  const words = useWords();
  const [asking, setAsking] = useState(false);
  const yes = () => {
    setAsking(false);
    onYes();
  };
  return (
    <>
      <Button {...button} onClick={() => setAsking(true)}>
        {label}
      </Button>
      <Dialog open={asking} onOpenChange={setAsking} title={title} lead={text}>
        <div className="mt-4 flex justify-between gap-2">
          <Button onClick={() => setAsking(false)}>{words.common.cancel}</Button>
          <Button kind="danger" onClick={yes}>
            {verb}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
