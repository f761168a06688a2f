import { z } from "zod";
import { ChannelError, type Chat, type Delivered } from "../channel.js";
import type { Api } from "./api.js";
import { CardExists } from "./errors.js";
import type { RobotMessage } from "./plain.js";
import type { Variables } from "./template.js";

const sent = z.object({
  processQueryKey: z.string().min(1),
  invalidStaffIdList: z.array(z.string()).nullish(),
  flowControlledStaffIdList: z.array(z.string()).nullish(),
});

/** Sends a robot's message. DingTalk cannot tell a second try from a second message. */
export async function sendMessage(api: Api, robotCode: string, chat: Chat, message: RobotMessage): Promise<Delivered> {
  const { body, at } =
    chat.kind === "group"
      ? await api.call(
          "POST",
          "/v1.0/robot/groupMessages/send",
          { robotCode, openConversationId: chat.id, ...message },
          sent,
        )
      : await api.call(
          "POST",
          "/v1.0/robot/oToMessages/batchSend",
          { robotCode, userIds: [chat.id], ...message },
          sent,
        );
  // A message to one person can succeed as a whole and still reach nobody.
  if (body.invalidStaffIdList?.length) throw new ChannelError("gone", "DingTalk knows nobody by this id.");
  if (body.flowControlledStaffIdList?.length) throw new ChannelError("busy", "This person got too many messages.");
  return { messageId: body.processQueryKey, at };
}

const created = z.object({
  result: z
    .object({
      deliverResults: z.array(z.object({ success: z.boolean(), carrierId: z.string().nullish() })).nullish(),
    })
    .nullish(),
});

interface Cards {
  readonly robotCode: string;
  readonly templateId: string;
}

/** Creates the card under an id of ours and shows it in the chat: of several tries with one id the chat shows one. */
export async function createCard(
  api: Api,
  cards: Cards,
  chat: Chat,
  outTrackId: string,
  variables: Variables,
): Promise<Delivered> {
  try {
    const { body, at } = await api.call(
      "POST",
      "/v1.0/card/instances/createAndDeliver",
      cardForm(cards, chat, outTrackId, variables),
      created,
    );
    const [result] = body.result?.deliverResults ?? [];
    if (result?.success === false) throw new ChannelError("refused", "DingTalk made the card but showed it to nobody.");
    return { messageId: outTrackId, at, ...(result?.carrierId ? { quotedAs: [result.carrierId] } : {}) };
  } catch (thrown) {
    // An earlier try got through and its answer was lost.
    if (!(thrown instanceof CardExists)) throw thrown;
    return { messageId: outTrackId, at: await updateCard(api, outTrackId, variables) };
  }
}

function cardForm({ robotCode, templateId }: Cards, chat: Chat, outTrackId: string, cardParamMap: Variables): object {
  // Spaces are listed with semicolons between them: an id with one would name a second chat.
  if (chat.id.includes(";")) throw new ChannelError("refused", "A chat's id on DingTalk has no semicolon in it.");
  const group = chat.kind === "group";
  // A card that was passed on would still take clicks.
  const space = { supportForward: false };
  return {
    cardTemplateId: templateId,
    outTrackId,
    callbackType: "STREAM",
    userIdType: 1,
    cardData: { cardParamMap },
    openSpaceId: `dtv1.card//${group ? "IM_GROUP" : "IM_ROBOT"}.${chat.id}`,
    ...(group
      ? { imGroupOpenSpaceModel: space, imGroupOpenDeliverModel: { robotCode } }
      : { imRobotOpenSpaceModel: space, imRobotOpenDeliverModel: { spaceType: "IM_ROBOT", robotCode } }),
  };
}

/** Draws the card anew for everybody; resolves to DingTalk's time. */
export async function updateCard(api: Api, outTrackId: string, cardParamMap: Variables): Promise<number> {
  const form = { outTrackId, cardData: { cardParamMap }, cardUpdateOptions: { updateCardDataByKey: true } };
  return (await api.call("PUT", "/v1.0/card/instances", form, z.unknown())).at;
}
