import { useState } from "react";
import { useWords } from "../words/words.js";
import { Alert } from "./alert.js";
import { Button } from "./button.js";

/** Something that is shown once. */
export function Secret({ note, value }: { readonly note: string; readonly value: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  return (
    <Alert tone="amber">
      <p className="font-medium">{note}</p>
      <p className="verbatim my-2">{value}</p>
      <Button small onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}>
        {copied ? words.common.copied : words.common.copy}
      </Button>
    </Alert>
  );
}
