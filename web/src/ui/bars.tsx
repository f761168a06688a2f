import { useFormats } from "../shell/time.js";

/** A small chart that is a list first: every bar has its name and its number. */
export function Bars({
  title,
  values,
}: {
  readonly title: string;
  readonly values: readonly (readonly [string, number])[];
}) {
  const formats = useFormats();
  const most = Math.max(1, ...values.map(([, value]) => value));
  if (values.length === 0) return null;
  return (
    <figure className="my-2">
      <figcaption className="text-sm text-muted">{title}</figcaption>
      <ul className="grid gap-1">
        {values.map(([name, value]) => (
          <li key={name} className="grid grid-cols-[10rem_1fr_3rem] items-center gap-2 text-sm">
            <span className="isolate-text truncate">{name}</span>
            <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="h-3 w-full" aria-hidden="true">
              <rect width={(value / most) * 100} height="6" className="fill-accent" />
            </svg>
            <span className="text-right">{formats.number(value)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
