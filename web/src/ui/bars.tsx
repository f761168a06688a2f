import { useFormats } from "../shell/time.js";

interface BarsProps {
  readonly title: string;
  readonly values: readonly (readonly [string, number])[];
}

/** A chart that is a list first: each row has its name and its number, and under them its share of the whole as a bar. */
export function Bars({ title, values }: BarsProps) {
  const formats = useFormats();
  const all = values.reduce((sum, [, value]) => sum + value, 0);
  if (all === 0) return null;
  return (
    <figure className="my-3">
      <figcaption className="mb-1.5 text-sm text-muted">{title}</figcaption>
      <ul className="grid gap-2.5">
        {values.map(([name, value]) => (
          <li key={name} className="text-sm">
            <span className="flex items-baseline justify-between gap-3">
              <span className="isolate-text min-w-0">{name}</span>
              <span className="shrink-0">
                {formats.number(value)} <span className="text-muted">· {formats.share(value / all)}</span>
              </span>
            </span>
            <svg viewBox="0 0 100 4" preserveAspectRatio="none" className="mt-1 h-1.5 w-full" aria-hidden="true">
              <rect width="100" height="4" className="fill-wash" />
              <rect width={(value / all) * 100} height="4" className="fill-accent" />
            </svg>
          </li>
        ))}
      </ul>
    </figure>
  );
}
