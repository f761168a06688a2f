/** One block of a stream. A block with an id alone moves the place and says nothing. */
export interface ServerSentEvent {
  readonly id?: string;
  readonly data?: string;
}

/** Reads a stream as it comes. `silence` is how long nothing at all may come before the line counts as dead. */
export async function* serverSentEvents(response: Response, silence: number): AsyncGenerator<ServerSentEvent, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let text = "";
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), silence);
      if (done) return;
      text = (text + value).replaceAll("\r\n", "\n");
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    // The reader may have left early: the server must not go on writing to nobody.
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerSentEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue;
    const [name, value] = [line.slice(0, at), line.slice(at + 1).replace(/^ /, "")];
    const before = fields.get(name);
    fields.set(name, name === "data" && before !== undefined ? `${before}\n${value}` : value);
  }
  const [id, data] = [fields.get("id"), fields.get("data")];
  if (id === undefined && data === undefined) return undefined;
  return { ...(id === undefined ? {} : { id }), ...(data === undefined ? {} : { data }) };
}

async function inTime<T>(read: Promise<T>, milliseconds: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the line is silent")), milliseconds);
  });
  try {
    return await Promise.race([read, silent]);
  } finally {
    clearTimeout(timer);
  }
}
