import { useFormats } from "../shell/time.js";

interface DaysProps {
  readonly title: string;
  readonly days: readonly { readonly day: string; readonly calls: number }[];
  /** What the highest column stands for. */
  readonly most: (calls: string) => string;
}

const HEIGHT = 48;
const STEP = 10;

/** A column for each day on one base line. The numbers are in a table beside it for whoever does not see columns. */
export function Days({ title, days, most: mostOf }: DaysProps) {
  const formats = useFormats();
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <figure className="my-3">
      <figcaption className="mb-1 flex justify-between text-sm text-muted">
        <span>{title}</span>
        <span aria-hidden="true">{mostOf(formats.number(most))}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-16 w-full border-b border-edge"
        aria-hidden="true"
      >
        {days.map(({ day, calls }, index) => {
          const height = calls === 0 ? 0 : Math.max(2, (calls / most) * (HEIGHT - 4));
          return (
            <rect
              key={day}
              x={index * STEP + 1.5}
              y={HEIGHT - height}
              width={STEP - 3}
              height={height}
              className={day === last.day ? "fill-accent" : "fill-accent/50"}
            />
          );
        })}
      </svg>
      <p className="flex justify-between text-xs text-muted" aria-hidden="true">
        <span>{formats.date(first.day)}</span>
        <span>{formats.date(last.day)}</span>
      </p>
      <table className="sr-only">
        <tbody>
          {days.map(({ day, calls }) => (
            <tr key={day}>
              <th scope="row">{formats.date(day)}</th>
              <td>{formats.number(calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
