import { useState } from "react";
import { useWords } from "../words/words.js";
import { Alert } from "./alert.js";
import { Button } from "./button.js";

/** Something that is shown once. */
export function Secret({ note, value }: { readonly note: string; readonly value: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <Alert tone="amber">
      <p className="font-medium">{note}</p>
      <p className="verbatim my-2">{value}</p>
      {/* Only where the page came over a safe connection; elsewhere it is copied by hand. */}
      {window.isSecureContext ? (
        <Button small onClick={() => void copy()}>
          {copied ? words.common.copied : words.common.copy}
        </Button>
      ) : null}
    </Alert>
  );
}
