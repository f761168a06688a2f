export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

/** What Telegram finds in plain text and makes something of, with no markup language given. */
const FOUND: Readonly<Record<string, RegExp>> = {
  url: /(?:https?|ftp|tg|ton):\/\/\S+|(?<![\p{L}\p{N}.@-])(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}/giu,
  email: /[\w.+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu,
  mention: /(?<![\w@])@[a-z0-9_]{3,32}/gi,
  hashtag: /(?<![\p{L}\p{N}_])#[\p{L}\p{N}_]+/gu,
  cashtag: /(?<![\p{L}\p{N}$])\$[A-Z]{1,8}(?![A-Za-z])/gu,
  bot_command: /(?<![\w/<>])\/[a-z0-9_]{1,64}/gi,
  phone_number: /\+?\d[\d\-() ]{5,}\d/g,
};

/** Inside these nothing is looked for. */
const CLOSED = new Set(["code", "pre"]);
/** Formats that lead nowhere and call nobody. */
const QUIET = new Set(["code", "pre", "bold"]);

/** Links, mentions and the like in a message, found by Telegram or asked for by its sender. */
export function markupOf(text: string, entities: readonly Entity[]): readonly string[] {
  const closed = entities.filter(({ type }) => CLOSED.has(type));
  const isClosed = (at: number, length: number) =>
    closed.some((entity) => at < entity.offset + entity.length && entity.offset < at + length);
  return [
    ...entities.flatMap(({ type, offset, length }) =>
      QUIET.has(type) ? [] : [`${type}: ${text.slice(offset, offset + length)}`],
    ),
    ...Object.entries(FOUND).flatMap(([type, pattern]) =>
      [...text.matchAll(pattern)].flatMap(({ 0: found, index }) =>
        isClosed(index, found.length) ? [] : [`${type}: ${found}`],
      ),
    ),
  ];
}
