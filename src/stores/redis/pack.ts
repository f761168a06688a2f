/** MessagePack's marks for an array and a text whose length takes four bytes. */
const ARRAY = 0xdd;
const TEXT = 0xdb;
const HEADER = 5;

/** The size of the last one is a good guess for the next. */
let guess = 4_096;

/** Many texts as one argument: each argument of its own costs the client and the server more than the text itself. */
export function pack(texts: readonly string[]): Buffer {
  let buffer = Buffer.allocUnsafeSlow(guess);
  let at = header(buffer, 0, ARRAY, texts.length);
  for (const text of texts) {
    // A UTF-16 unit takes three bytes at most.
    const most = at + HEADER + text.length * 3;
    if (most > buffer.length) buffer = Buffer.concat([buffer.subarray(0, at)], most * 2);
    const length = buffer.write(text, at + HEADER);
    at = header(buffer, at, TEXT, length) + length;
  }
  guess = Math.max(4_096, Math.ceil(at * 1.25));
  return buffer.subarray(0, at);
}

function header(buffer: Buffer, at: number, mark: number, length: number): number {
  buffer[at] = mark;
  return buffer.writeUInt32BE(length, at + 1);
}
