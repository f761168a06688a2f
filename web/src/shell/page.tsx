import type { ReactNode } from "react";
import { Link } from "wouter";

interface PageFrameProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** The page that this one belongs to, where it is opened from a list. */
  readonly within?: { readonly title: string; readonly href: string };
  readonly children: ReactNode;
}

/** A page that scrolls as a whole. */
export function PageFrame({ title, actions, within, children }: PageFrameProps) {
  const Heading = within === undefined ? "h1" : "h2";
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-4xl px-5 py-5 sm:px-8">
        {within === undefined ? null : (
          <h1 className="-mt-2 mb-2">
            <Link href={within.href} className="block py-2 text-accent">
              <span aria-hidden="true">‹ </span>
              {within.title}
            </Link>
          </h1>
        )}
        <header className="mb-5 flex flex-wrap items-center justify-between gap-3">
          <Heading className="text-xl font-semibold">{title}</Heading>
          {actions}
        </header>
        {children}
      </div>
    </div>
  );
}
