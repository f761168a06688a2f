/** A text that is saved as a file, such as evidence. */
export function fileAnswer(body: string | ReadableStream<Uint8Array>, type: string, name: string): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    },
  });
}

/** The same, line by line while it is read: a long log never stands in memory as a whole. */
export function linesAnswer(lines: AsyncGenerator<string>, type: string, name: string): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  return fileAnswer(body, type, name);
}
