/** What travels on the long connection: the platform's protobuf message, written and read here by hand, apart from the library. */
export interface Frame {
  readonly service: number;
  readonly method: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

export const CONTROL = 0;
export const DATA = 1;

const FIELD = { seqId: 1, logId: 2, service: 3, method: 4, header: 5, payload: 8 };

export function encodeFrame({ service, method, headers, payload }: Frame): Buffer {
  return Buffer.concat([
    number(FIELD.seqId, 1),
    number(FIELD.logId, 1),
    number(FIELD.service, service),
    number(FIELD.method, method),
    ...Object.entries(headers).map(([key, value]) =>
      bytes(FIELD.header, Buffer.concat([bytes(1, Buffer.from(key)), bytes(2, Buffer.from(value))])),
    ),
    bytes(FIELD.payload, payload),
  ]);
}

export function decodeFrame(buffer: Buffer): Frame {
  const fields = readFields(buffer);
  const last = (field: number) => fields.findLast((found) => found.field === field)?.value;
  const headers = fields.flatMap(({ field, value }) => {
    if (field !== FIELD.header || typeof value === "number") return [];
    const pair = readFields(value);
    return [[String(pair[0]?.value ?? ""), String(pair[1]?.value ?? "")] as const];
  });
  return {
    service: Number(last(FIELD.service)),
    method: Number(last(FIELD.method)),
    headers: Object.fromEntries(headers),
    payload: Buffer.from((last(FIELD.payload) as Buffer | undefined) ?? Buffer.alloc(0)),
  };
}

interface FoundField {
  readonly field: number;
  readonly value: number | Buffer;
}

function readFields(buffer: Buffer): readonly FoundField[] {
  const found: FoundField[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = buffer[at++];
      if (byte === undefined) throw new Error("A frame ends within a number.");
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < buffer.length) {
    const key = varint();
    const field = key >>> 3;
    const wire = key & 7;
    if (wire === 0) found.push({ field, value: varint() });
    else if (wire === 2) {
      const length = varint();
      found.push({ field, value: buffer.subarray(at, at + length) });
      at += length;
    } else throw new Error(`A frame has a field of kind ${wire}.`);
  }
  return found;
}

function number(field: number, value: number): Buffer {
  return Buffer.from([...varintOf(field << 3), ...varintOf(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([...varintOf((field << 3) | 2), ...varintOf(value.length)]), value]);
}

function varintOf(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) + 0x80);
  return [...out, rest];
}
