import type { Channel } from "./channel.js";

/** Answers one request of the platform. Never rejects. */
export type Webhook = NonNullable<Channel["webhook"]>;

/** No platform sends more; what is larger is not looked at. */
export const MAX_BODY = 256 * 1024;
