import { z } from "zod";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import type { Service } from "../service.js";
import { withTimes } from "../views.js";
import { accountCode, accountView } from "../wire/accounts.js";
import { id } from "../wire/common.js";

const tag = "You";

/** Chat accounts that answer for you. Connecting one takes a code from here and a private message to the bot. */
export function accountRoutes({ identity }: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/me/accounts",
      tag,
      summary: "Chat accounts that answer for you",
      access: "person",
      answers: { 200: { description: "Your accounts", schema: z.object({ accounts: z.array(accountView) }) } },
      async handle({ by }) {
        const accounts = await identity.accounts.list(by);
        return ok({ accounts: accounts.map((account) => withTimes(account, "createdAt")) });
      },
    }),
    route({
      method: "post",
      path: "/v1/me/accounts/code",
      tag,
      summary: "A code to say to the bot, once, within ten minutes: “link CODE”",
      access: "person",
      permission: "approval.decide",
      perMinute: 10,
      secret: true,
      body: z.strictObject({}),
      answers: { 201: { description: "The code", schema: accountCode } },
      async handle({ by }) {
        return { status: 201, body: withTimes(await identity.accounts.createCode(by), "expiresAt") };
      },
    }),
    route({
      method: "delete",
      path: "/v1/me/accounts/{accountId}",
      tag,
      summary: "From now on this account answers nothing",
      access: "person",
      params: z.strictObject({ accountId: id }),
      answers: { 204: { description: "Disconnected" } },
      async handle({ by, params }) {
        await identity.accounts.unlink(by, params.accountId);
        return DONE;
      },
    }),
  ];
}
