/** Takes no room on a screen, and keeps what stands on its two sides apart for whoever looks for links. */
const APART = "\u200B";

/**
 * What clients turn plain words into: addresses with a scheme and names with dots into links, `@` into mentions, `<…>` into
 * tags, `[…]` into pictures of faces, `${…}` into variables of a card's template. Each is cut after its tell-tale character.
 */
const TELLTALE = /:(?=\/\/)|(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])|@|\[|<(?=[@/\p{L}])|\$(?=\{)/gu;

/** The same words to the eye, of which a client makes nothing. */
export function inert(text: string): string {
  return text.replaceAll(TELLTALE, `$&${APART}`);
}
