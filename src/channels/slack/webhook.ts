import type { Clock } from "../../core/ports.js";
import type { ChannelEvents, WebhookAnswer } from "../channel.js";
import { atMost } from "../waiting.js";
import { MAX_BODY, type Webhook } from "../webhook.js";
import { verify, WINDOW } from "./verify.js";

/** Slack waits three seconds. */
export const ANSWER_WITHIN = 2_000;

interface WebhookParts {
  readonly secret: string;
  readonly clock: Pick<Clock, "now">;
  /** Never rejects. */
  readonly handle: (body: unknown) => Promise<void>;
  readonly refused: ChannelEvents["refused"];
}

/**
 * Answers events and clicks that come by HTTP. Nothing is parsed before the signature over its bytes held. The same signed
 * bytes do nothing a second time: they get the answer that they got.
 */
export function slackWebhook({ secret, clock, handle, refused }: WebhookParts): Webhook {
  const answered = new Map<string, { readonly until: number; readonly answer: Promise<WebhookAnswer> }>();

  return async (request) => {
    if (request.body.byteLength > MAX_BODY) {
      await refused("too_large");
      return { status: 413, body: "" };
    }
    const verified = verify(request, secret, clock.now());
    if (verified !== "genuine") {
      await refused(verified);
      return { status: 401, body: "" };
    }
    forget(clock.now());
    // It covers time and body, so two requests with one signature are one request.
    const signature = request.headers["x-slack-signature"] ?? "";
    const before = answered.get(signature);
    if (before !== undefined) {
      await refused("replayed");
      return await before.answer;
    }
    const answer = answerTo(request.body);
    // Stamped up to WINDOW ahead, it stays fresh for twice as long.
    answered.set(signature, { until: clock.now() + 2 * WINDOW * 1000, answer });
    return await answer;
  };

  /** The oldest stand first. */
  function forget(time: number): void {
    for (const [key, { until }] of answered) {
      if (until >= time) return;
      answered.delete(key);
    }
  }

  async function answerTo(bytes: Buffer): Promise<WebhookAnswer> {
    const body = bodyOf(bytes.toString("utf8"));
    if (body === undefined) {
      await refused("malformed");
      return { status: 400, body: "" };
    }
    const { type, challenge } = body as { type?: unknown; challenge?: unknown };
    if (type === "url_verification" && typeof challenge === "string") {
      return { status: 200, body: JSON.stringify({ challenge }) };
    }
    await atMost(ANSWER_WITHIN, handle(body));
    return { status: 200, body: "" };
  }
}

/** Events are JSON; clicks are JSON in a field of a form. */
function bodyOf(text: string): object | undefined {
  try {
    const json = text.startsWith("{") ? text : new URLSearchParams(text).get("payload");
    const body: unknown = json === null ? undefined : JSON.parse(json);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
