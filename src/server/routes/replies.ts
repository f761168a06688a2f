import { USUAL_WORDS } from "../../core/read-reply.js";
import type { OwnReplyRules } from "../../core/reply-rules.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { replyRulesPatch, replyRulesView } from "../wire/replies.js";

const tag = "Channels";

/** How answers in chats are read in a workspace. Stricter needs nothing but the role; what makes a yes easier is a weakening. */
export function replyRoutes({ gate, replies }: Service): AnyRoute[] {
  const { words, unclear } = replies;
  const view = (own: OwnReplyRules) => ({
    ...own,
    usual: {
      approve: [...USUAL_WORDS.approve, ...words.approve],
      deny: [...USUAL_WORDS.deny, ...words.deny],
      unclear,
    },
  });
  return [
    route({
      method: "get",
      path: "/v1/workspace/replies",
      tag,
      summary: "Which words in chats say yes and no here, and what any other answer does",
      access: "person",
      answers: { 200: { description: "What counts", schema: replyRulesView } },
      handle: async ({ by }) => ok(view(await gate.ownReplyRules(by.workspaceId))),
    }),
    route({
      method: "patch",
      path: "/v1/workspace/replies",
      tag,
      summary: "Change that for this workspace; with a fresh passkey where a yes becomes easier",
      access: "person",
      permission: "workspace.manage",
      perMinute: 30,
      body: replyRulesPatch,
      answers: { 200: { description: "Holds from the next message on", schema: replyRulesView } },
      handle: async ({ by, body }) => ok(view(await gate.changeReplyRules(body, personOf(by), replies))),
    }),
  ];
}
