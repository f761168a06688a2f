import { Switch as Radix } from "radix-ui";
import { useId } from "react";

interface SwitchProps {
  readonly label: string;
  readonly note?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Switch({ label, note, checked, disabled = false, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {note === undefined ? null : <p className="text-sm text-muted">{note}</p>}
      </div>
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        className="mt-0.5 h-6 w-11 shrink-0 rounded-full border border-edge bg-wash p-0.5 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <Radix.Thumb className="block size-[18px] rounded-full bg-edge transition-transform duration-140 data-[state=checked]:translate-x-5 data-[state=checked]:bg-on-accent" />
      </Radix.Root>
    </div>
  );
}
