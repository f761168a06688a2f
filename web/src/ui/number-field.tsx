import { useEffect, useId, useState } from "react";
import { useWords } from "../words/words.js";
import { Button } from "./button.js";

interface NumberFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSave: (value: number) => void;
}

/** Saved when asked to, so that a half-typed number never holds. */
export function NumberField({ label, value, onSave }: NumberFieldProps) {
  const words = useWords();
  const id = useId();
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const number = Number(typed);
  const good = typed.trim() !== "" && Number.isFinite(number) && number > 0;
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="text-sm text-muted">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          className="field max-w-32"
          inputMode="decimal"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button disabled={!good || typed === value} onClick={() => onSave(number)}>
          {words.common.save}
        </Button>
      </div>
    </div>
  );
}
