import type { ReactNode } from "react";

/** Drawn with one pen: a line of the text's own colour, nothing filled. */
function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 20 20"
      className="size-5 shrink-0"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function InboxIcon() {
  return (
    <Icon>
      <path d="M3 11.500 5.200 4h9.600L17 11.500V16H3Z" />
      <path d="M3 11.500h4l1 2h4l1-2h4" />
    </Icon>
  );
}

export function ChatIcon() {
  return (
    <Icon>
      <path d="M3.500 4h13v9h-7L6 16v-3H3.500Z" />
    </Icon>
  );
}

export function HistoryIcon() {
  return (
    <Icon>
      <circle cx="10" cy="10" r="6.800" />
      <path d="M10 6v4.300l2.800 1.700" />
    </Icon>
  );
}

export function SettingsIcon() {
  return (
    <Icon>
      <path d="M3 6h7.500M14.500 6H17M3 14h2.500M9.500 14H17" />
      <circle cx="12.500" cy="6" r="2" />
      <circle cx="7.500" cy="14" r="2" />
    </Icon>
  );
}

/** Points to what a row opens; a summary turns it. */
export function Chevron() {
  return (
    <svg
      viewBox="0 0 16 16"
      className="chevron size-4 shrink-0 text-muted"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.500"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="m6 3.500 4.500 4.500L6 12.500" />
    </svg>
  );
}
