import type { ComponentPropsWithRef } from "react";

type Kind = "filled" | "outlined" | "plain" | "danger";

const KINDS: Readonly<Record<Kind, string>> = {
  filled: "bg-accent text-on-accent hover:brightness-110 border-accent",
  danger: "bg-vermilion text-on-vermilion hover:brightness-110 border-vermilion",
  outlined: "bg-sheet text-ink border-edge hover:bg-wash",
  plain: "bg-transparent text-accent border-transparent hover:bg-wash",
};

/** One look for what cannot be pressed, whether it can be reached or not. */
const INERT =
  "disabled:cursor-not-allowed disabled:border-line disabled:bg-wash disabled:text-muted disabled:brightness-100 " +
  "aria-disabled:cursor-not-allowed aria-disabled:border-line aria-disabled:bg-wash aria-disabled:text-muted aria-disabled:brightness-100";

interface ButtonProps extends ComponentPropsWithRef<"button"> {
  readonly kind?: Kind;
  readonly small?: boolean;
}

/** `aria-disabled` keeps a button reachable, so that it can say why it does nothing yet. */
export function Button({ kind = "outlined", small = false, className = "", type = "button", ...rest }: ButtonProps) {
  const size = small ? "min-h-8 px-2.5 py-1 text-sm" : "min-h-11 px-4 py-2";
  return (
    <button
      type={type}
      className={`inline-flex items-center justify-center gap-2 rounded border font-medium transition-colors duration-140 ${INERT} ${size} ${KINDS[kind]} ${className}`}
      {...rest}
    />
  );
}
