/** A request as it came: the proof covers the bytes, so nobody may have parsed them before. Header names in small letters. */
export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
}

/** Answers one request of the platform. Never rejects. */
export type Webhook = (request: WebhookRequest) => Promise<WebhookAnswer>;

/** No platform sends more; what is larger is not read at all. */
export const MAX_BODY = 256 * 1024;

/** A header that came once. One that came twice proves nothing: who knows which of them the next one reads. */
export function headerOf(request: WebhookRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === "string" ? value : undefined;
}
