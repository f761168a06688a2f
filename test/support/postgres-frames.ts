const NOTIFICATION = "A".charCodeAt(0);
/** A letter, then the length of the rest in four bytes, which count themselves. */
const HEADER = 5;

/** What a Postgres server sends, message by message, however it is cut into pieces on the way. */
export class Frames {
  /** Notifications that were left out. */
  lost = 0;
  #rest = Buffer.alloc(0);

  /** The whole messages up to here, but for notifications; what is not whole yet comes with the next piece. */
  withoutNotifications(data: Buffer): Buffer {
    const bytes = Buffer.concat([this.#rest, data]);
    const kept: Buffer[] = [];
    let at = 0;
    for (let end = endOf(bytes, at); end <= bytes.length; end = endOf(bytes, at)) {
      if (bytes[at] === NOTIFICATION) this.lost++;
      else kept.push(bytes.subarray(at, end));
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return Buffer.concat(kept);
  }
}

function endOf(bytes: Buffer, at: number): number {
  return at + HEADER > bytes.length ? Number.POSITIVE_INFINITY : at + 1 + bytes.readUInt32BE(at + 1);
}

/** What a Postgres server says to a connection that it ends because it ends itself. */
export function shutdownNotice(): Buffer {
  const fields = Buffer.from("SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0");
  const header = Buffer.alloc(HEADER);
  header.write("E");
  header.writeUInt32BE(fields.length + HEADER - 1, 1);
  return Buffer.concat([header, fields]);
}
