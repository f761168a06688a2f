import { randomUUID } from "node:crypto";
import { type Chats, Refused } from "./chats.js";
import type { Gateway } from "./gateway.js";

export interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface Platform {
  readonly app: { readonly clientId: string; readonly clientSecret: string; readonly templateId: string };
  readonly chats: Chats;
  readonly gateway: Gateway;
  readonly faults: string[];
  readonly people: readonly string[];
  readonly groups: readonly string[];
  readonly tokens: Set<string>;
  /** Chats that the robot was taken out of. */
  readonly removed: Set<string>;
  /** Clicks on a card that wait for their answer, and how many were answered, or may have been before the line broke. */
  readonly callbacks: Map<string, { waiting: number; answered: number }>;
  readonly address: () => string;
}

type Texts = Readonly<
  Record<
    | ("appKey" | "appSecret" | "clientId" | "clientSecret" | "robotCode" | "openConversationId" | "msgKey")
    | ("cardTemplateId" | "outTrackId" | "callbackType" | "openSpaceId"),
    string
  >
>;

/** What clients send; none of it is there until it was looked at. */
interface Sent extends Partial<Texts> {
  readonly subscriptions?: readonly { readonly type: string; readonly topic: string }[];
  readonly userIds?: readonly string[];
  readonly msgParam?: unknown;
  readonly cardData?: { readonly cardParamMap?: unknown };
  readonly cardUpdateOptions?: { readonly updateCardDataByKey?: unknown };
  readonly imGroupOpenSpaceModel?: { readonly supportForward?: unknown };
  readonly imRobotOpenSpaceModel?: { readonly supportForward?: unknown };
  readonly imGroupOpenDeliverModel?: { readonly robotCode?: unknown };
  readonly imRobotOpenDeliverModel?: { readonly robotCode?: unknown };
}

type Route = (platform: Platform, body: Sent, token: unknown) => Answer;

const ok = (body: object): Answer => ({ status: 200, body });

/** Behind a token, and for this app's robot. */
function guarded(route: (platform: Platform, body: Sent) => Answer): Route {
  return (platform, body, token) => {
    if (!platform.tokens.has(String(token))) throw new Refused("InvalidAuthentication", 401);
    return route(platform, body);
  };
}

function checkRobot({ app }: Platform, robotCode: unknown): void {
  if (robotCode !== app.clientId) throw new Refused("invalidParameter.robotCode.auth");
}

/** What DingTalk answers to, by method and path. */
export const routes: Readonly<Record<string, Route>> = {
  "POST /v1.0/oauth2/accessToken": ({ app, tokens }, { appKey, appSecret }) => {
    if (appKey !== app.clientId || appSecret !== app.clientSecret) throw new Refused("invalidClientIdOrSecret");
    const accessToken = randomUUID();
    tokens.add(accessToken);
    return ok({ accessToken, expireIn: 7200 });
  },

  "POST /v1.0/gateway/connections/open": (
    { app, gateway, address },
    { clientId, clientSecret, subscriptions = [] },
  ) => {
    if (clientId !== app.clientId || clientSecret !== app.clientSecret) throw new Refused("authFailed", 401);
    return ok({ endpoint: `ws://${address()}/connect`, ticket: gateway.ticket(subscriptions) });
  },

  "POST /v1.0/robot/groupMessages/send": guarded((platform, body) => {
    const { robotCode, openConversationId = "", msgKey = "", msgParam } = body;
    checkRobot(platform, robotCode);
    if (!platform.groups.includes(openConversationId)) throw new Refused("invalid.openConversationId");
    if (platform.removed.has(openConversationId)) throw new Refused("resource.unavailable");
    return ok({ processQueryKey: platform.chats.post(openConversationId, msgKey, msgParam) });
  }),

  "POST /v1.0/robot/oToMessages/batchSend": guarded((platform, { robotCode, userIds = [], msgKey = "", msgParam }) => {
    checkRobot(platform, robotCode);
    const [userId] = userIds;
    if (userId === undefined || userIds.length !== 1) throw new Refused("invalidParameter.userIds.empty");
    const known = platform.people.includes(userId);
    const processQueryKey = known ? platform.chats.post(userId, msgKey, msgParam) : "nothing";
    return ok({ processQueryKey, invalidStaffIdList: known ? [] : [userId], flowControlledStaffIdList: [] });
  }),

  "POST /v1.0/card/instances/createAndDeliver": guarded((platform, body) => {
    const { cardTemplateId, outTrackId = "", callbackType, cardData, openSpaceId = "", ...models } = body;
    if (cardTemplateId !== platform.app.templateId) throw new Refused("param.templateNotExist");
    if (outTrackId === "") throw new Refused("param.outTrackIdEmpty");
    if (callbackType !== "STREAM") platform.faults.push("a card whose clicks go elsewhere");
    const [, type, chatId = ""] = /^dtv1\.card\/\/(IM_GROUP|IM_ROBOT)\.([^;]+)$/.exec(openSpaceId) ?? [];
    const group = platform.groups.includes(chatId);
    if (type !== (group ? "IM_GROUP" : "IM_ROBOT")) throw new Refused("param.openSpaceIdInvalid");
    const [space, deliver] = group
      ? [models.imGroupOpenSpaceModel, models.imGroupOpenDeliverModel]
      : [models.imRobotOpenSpaceModel, models.imRobotOpenDeliverModel];
    if (space === undefined || deliver === undefined) throw new Refused("param.openDeliverModelEmpty");
    if (space.supportForward !== false) platform.faults.push("a card that can be passed on");
    checkRobot(platform, deliver.robotCode);
    if (platform.removed.has(chatId)) throw new Refused("chatbotNotInstall");
    const { carrierId } = platform.chats.create(outTrackId, chatId, cardData?.cardParamMap);
    const deliverResults = [{ spaceId: chatId, spaceType: type, success: true, errorMsg: "", carrierId }];
    return ok({ success: true, result: { outTrackId, deliverResults } });
  }),

  "PUT /v1.0/card/instances": guarded(
    ({ chats, callbacks, faults }, { outTrackId = "", cardData, cardUpdateOptions }) => {
      // After the first answer an update may cross the next click on its way, which nobody can help.
      const open = callbacks.get(outTrackId);
      if (open !== undefined && open.waiting > 0 && open.answered === 0) faults.push("an update inside the callback");
      if (cardUpdateOptions?.updateCardDataByKey !== true) faults.push("an update that empties what it does not name");
      chats.update(outTrackId, cardData?.cardParamMap);
      return ok({ success: true, result: true });
    },
  ),
};
