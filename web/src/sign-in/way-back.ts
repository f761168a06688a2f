/** Kept beside the address of the sign-in page, in the browser's own history: no link from outside can set it. */
export interface WayBack {
  /** The page that needed somebody. */
  readonly to: string;
  /** Somebody was signed in there. */
  readonly hasEnded: boolean;
}

export function wayBackIn(state: unknown): WayBack {
  const { to, hasEnded } = (state ?? {}) as Partial<Record<keyof WayBack, unknown>>;
  return { to: typeof to === "string" ? to : "/", hasEnded: hasEnded === true };
}
