import type { ReactNode } from "react";

/** A page that scrolls as a whole. */
export function PageFrame({
  title,
  actions,
  back,
  children,
}: {
  readonly title: string;
  /** The way to the page that this one belongs to. */
  readonly back?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-4xl px-5 py-5 sm:px-8">
        {back}
        <header className="mb-5 flex flex-wrap items-center justify-between gap-3">
          <h1 className="text-xl font-semibold">{title}</h1>
          {actions}
        </header>
        {children}
      </div>
    </div>
  );
}
