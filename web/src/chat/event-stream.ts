export interface StreamedEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events from the answer to a message; the browser's own reader cannot send one. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + read.value).replaceAll("\r\n", "\n").split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = field(block, "data");
        if (data !== "") yield { event: field(block, "event"), data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function field(block: string, name: string): string {
  return block
    .split("\n")
    .filter((line) => line.startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).replace(/^ /, ""))
    .join("\n");
}
