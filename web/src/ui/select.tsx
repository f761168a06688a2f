import { useId } from "react";

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
  readonly disabled?: boolean;
  /** The label is for screen readers alone, where the place says it to everybody else. */
  readonly quiet?: boolean;
}

/** The platform's own: on a phone nothing is easier to use. */
export function Select<T extends string>({
  label,
  value,
  options,
  onChange,
  disabled = false,
  quiet = false,
}: SelectProps<T>) {
  const id = useId();
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className={quiet ? "sr-only" : "text-sm text-muted"}>
        {label}
      </label>
      <select
        id={id}
        className="field"
        disabled={disabled}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([option]) => option === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
