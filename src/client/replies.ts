import type { OwnReplyRules, ReplyRulesPatch } from "../core/reply-rules.js";
import type { Transport } from "./transport.js";

export interface ReplyRulesView extends OwnReplyRules {
  /** What counts in every workspace of the server. */
  readonly usual: Required<OwnReplyRules>;
}

/** Which words in chats say yes and no in the workspace, and what any other answer does. */
export class Replies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(): Promise<ReplyRulesView> {
    return this.#transport.json({ path: "/v1/workspace/replies" });
  }

  /** For owners. What makes a yes easier to say is done in a browser, with a fresh passkey. */
  change(patch: ReplyRulesPatch): Promise<ReplyRulesView> {
    return this.#transport.json({ method: "PATCH", path: "/v1/workspace/replies", body: patch });
  }
}
