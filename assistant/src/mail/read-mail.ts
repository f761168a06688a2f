export interface ReadMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly date: string;
  readonly text: string;
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const MAX_DEPTH = 5;

/** What a person reads of a mail: its main headers and its first plain text. Attachments and HTML are left out. */
export function readMail(content: Buffer): ReadMail {
  // One character per byte, so that each part can be decoded by its own character set.
  const mail = partOf(content.toString("latin1"));
  const header = (name: string): string => decodeWords(mail.headers.get(name) ?? "");
  return {
    from: header("from"),
    to: header("to"),
    subject: header("subject"),
    date: header("date"),
    text: plainText(mail, 0) ?? "",
  };
}

function partOf(text: string): Part {
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const lines = head.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/);
  const headers = new Map(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon < 1 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const];
    }),
  );
  return { headers, body: end === null ? "" : text.slice(end.index + end[0].length) };
}

function plainText({ headers, body }: Part, depth: number): string | undefined {
  const type = headers.get("content-type") ?? "text/plain";
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  if (/^multipart\//i.test(type) && boundary !== undefined && depth < MAX_DEPTH) {
    const parts = body
      .split(`--${boundary}`)
      .slice(1)
      .map((part) => partOf(part.replace(/^\r?\n/, "")));
    for (const part of parts) {
      const text = plainText(part, depth + 1);
      if (text !== undefined) return text;
    }
    return undefined;
  }
  if (!/^text\/plain/i.test(type)) return undefined;
  const charset = /charset="?([\w-]+)"?/i.exec(type)?.[1] ?? "utf-8";
  return decode(unpack(body, headers.get("content-transfer-encoding") ?? "7bit"), charset)
    .replaceAll("\r\n", "\n")
    .trim();
}

function unpack(body: string, encoding: string): Buffer {
  switch (encoding.toLowerCase()) {
    case "base64":
      return Buffer.from(body, "base64");
    case "quoted-printable":
      return quotedPrintable(body.replace(/=\r?\n/g, ""));
    default:
      return Buffer.from(body, "latin1");
  }
}

function quotedPrintable(text: string): Buffer {
  const plain = text.replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(plain, "latin1");
}

/** RFC 2047: `=?utf-8?B?…?=` and `=?utf-8?Q?…?=`; the blank between two of them is none. */
function decodeWords(text: string): string {
  return text
    .replace(/(\?=)\s+(=\?)/g, "$1$2")
    .replace(/=\?([\w-]+)\?([BQ])\?([^?]*)\?=/gi, (_all, charset: string, form: string, word: string) =>
      decode(
        form.toUpperCase() === "B" ? Buffer.from(word, "base64") : quotedPrintable(word.replaceAll("_", " ")),
        charset,
      ),
    );
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8"); // a character set nobody knows
  }
}
