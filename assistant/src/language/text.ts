/** The message as it is read: one spelling per character, one kind of blank, no invisible ones. */
export function normalise(message: string): string {
  return message
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\p{Cf}/gu, "")
    .replace(/\s*\n\s*/g, "\n")
    .replace(/[^\S\n]+/g, " ")
    .trim();
}

export function isChinese(text: string): boolean {
  return /\p{Script=Han}/u.test(text);
}

const WRAPPED = /^(["'「『《])(.+)(["'」』》])$/s;

/** A title without the quotes around it, the stop behind it and the courtesies at its end. */
export function cleanTitle(text: string): string {
  const plain = text
    .trim()
    .replace(/^(?:[:,，、\-–—]\s*)+/, "")
    .replace(/[\s,，]*(?:please|pls|thanks|thank you|谢谢|好吗|吧)\s*[.!。!]*$/i, "")
    .replace(/[\s.!。,，;:]+$/, "")
    .trim();
  return (WRAPPED.exec(plain)?.[2] ?? plain).trim();
}
