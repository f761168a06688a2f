/** A paper with a second signature. */
export function Mark({ large = false }: { readonly large?: boolean }) {
  return (
    <svg viewBox="0 0 64 64" className={large ? "size-20" : "size-7"} aria-hidden="true">
      <rect x="10" y="5" width="44" height="54" rx="5" className="fill-sheet stroke-ink" strokeWidth="3" />
      <path d="M18 17h28M18 25h20" className="stroke-edge" strokeWidth="3" strokeLinecap="round" />
      <path d="M18 50h28" className="stroke-ink" strokeWidth="2" strokeLinecap="round" />
      <path
        d="M19 45c3-10 7-11 6-4s4 2 7-3 4 3 2 4 5 0 8-7"
        className="stroke-accent"
        fill="none"
        strokeWidth="4"
        strokeLinecap="round"
      />
    </svg>
  );
}
