const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The words of a page without its markup. Nothing is run and nothing else is loaded. */
export function pageText(html: string): string {
  return decodeEntities(
    html
      .replace(/<!--[\s\S]*?-->/g, " ")
      .replace(/<(script|style|template|noscript)\b[\s\S]*?<\/\1\s*>/gi, " ")
      .replace(/<(?:br|\/p|\/div|\/li|\/h[1-6]|\/tr)\b[^>]*>/gi, "\n")
      .replace(/<[^>]*>/g, " "),
  )
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n[\s]*/g, "\n")
    .trim();
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

/** The spoken words of a WebVTT or SRT file: no times, no numbers, no line twice in a row. */
export function transcriptText(captions: string): string {
  const lines = captions
    .split(/\r?\n/)
    .filter((line) => !/-->|^\d+$|^WEBVTT|^(?:NOTE|STYLE|REGION|Kind:|Language:)\b/.test(line.trim()))
    .map((line) => pageText(line))
    .filter((line) => line !== "");
  return lines.filter((line, index) => line !== lines[index - 1]).join("\n");
}
