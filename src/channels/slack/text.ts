/** In texts that Slack reads as its own markup these three letters alone begin something. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * What a person wrote, from what Slack made of it: mentions of the bot are gone, other mentions and links stand as they were
 * typed, and escaped letters are themselves again.
 */
export function plainTextOf(text: string, botUserId: string): string {
  return text
    .replace(/<([^<>]*)>/g, (_, inner: string) => asTyped(inner, botUserId))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

function asTyped(inner: string, botUserId: string): string {
  const bar = inner.indexOf("|");
  const [target, label] = bar === -1 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
  const name = label === undefined || label === "" ? target.slice(1) : label;
  switch (target[0]) {
    case "@":
      return target === `@${botUserId}` ? "" : `@${name}`;
    case "#":
      return `#${name}`;
    case "!":
      return label ?? `@${name}`;
    default:
      return label ?? target;
  }
}

/** Lines that quote somebody begin so. */
export function hasQuote(text: string): boolean {
  return /^\s*&gt;/m.test(text);
}
