/**
 * The URL, or undefined where the text is none. Not by `URL.canParse`: in Node 20 that takes a letter such as ü for a broken byte
 * once its caller is compiled, so that the same host is a host at first and none later.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
