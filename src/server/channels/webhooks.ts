import type { Channel } from "../../channels/channel.js";
import { MAX_BODY } from "../../channels/webhook.js";
import { type AnyRoute, route } from "../http/route.js";

/** The doors at which platforms call. Each channel verifies the bytes it gets by itself; nobody is signed in here. */
export function webhookRoutes(channels: readonly Channel[]): AnyRoute[] {
  return channels.flatMap((channel) => {
    const { name } = channel;
    if (channel.webhook === undefined) return [];
    return [
      route({
        method: "post",
        path: `/channels/${name}/webhook`,
        tag: "Channels",
        summary: `Callbacks of ${name}, verified by their signature`,
        access: "anyone",
        perMinute: 6_000,
        raw: true,
        answers: {
          200: { description: "Taken" },
          401: { description: "Not verified" },
          413: { description: "Too large" },
        },
        async handle({ request: incoming }) {
          const request = incoming.web();
          const body = await readUpTo(request, MAX_BODY + 1);
          const answer = await channel.webhook?.({ headers: Object.fromEntries(request.headers), body });
          return new Response(answer?.body ?? null, {
            status: answer?.status ?? 404,
            headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
          });
        },
      }),
    ];
  });
}

/** The beginning of what is too large is enough: the channel sees by its length that it is, refuses it and has that noted. */
async function readUpTo(request: Request, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}
