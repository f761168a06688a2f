import type { CardFace, FaceButton } from "../face.js";
import { faceLines } from "../face.js";
import { inParts } from "../parts.js";
import { inert } from "./text.js";

/** A robot's message as DingTalk takes it. */
export interface RobotMessage {
  readonly msgKey: string;
  readonly msgParam: string;
}

/** What DingTalk allows a message's parameters. */
const MESSAGE_BYTES = 15_000;

/** A message of the kind in which DingTalk formats nothing. */
function textMessage(text: string): RobotMessage {
  return { msgKey: "sampleText", msgParam: JSON.stringify({ content: inert(text) }) };
}

export function fitsMessage({ msgParam }: RobotMessage): boolean {
  return Buffer.byteLength(msgParam) <= MESSAGE_BYTES;
}

/** Words of any length. */
export function textMessages(text: string): readonly RobotMessage[] {
  const size = MESSAGE_BYTES - Buffer.byteLength(textMessage("").msgParam);
  const sizeOf = (part: string) => Buffer.byteLength(JSON.stringify(inert(part))) - 2;
  return inParts(text.split("\n"), { size, sizeOf }).map(textMessage);
}

/** Everything that the face says, in one message. */
export function faceMessage(face: CardFace): RobotMessage {
  return textMessage(faceLines(face).join("\n"));
}

/** How it ended. A message that was sent cannot be drawn anew, so this comes after it. */
export function endMessage({ heading, question, closing }: CardFace): RobotMessage {
  return textMessage([heading, question, ...closing].join("\n"));
}

/**
 * The buttons under the face. This kind of message is markdown and nobody documents how to escape in it, so it holds words of
 * ours alone: the risk and the code. What the agent wants stands in the message above.
 */
export function buttonsMessage({ heading, buttons }: CardFace): RobotMessage | undefined {
  const words = bare(heading);
  const opening = { title: words, text: words };
  const [first, second] = buttons;
  if (first === undefined) return undefined;
  if (second === undefined) {
    return card("sampleActionCard", { ...opening, singleTitle: first.label, singleURL: linkOf(first) });
  }
  const numbered = buttons.flatMap((button, index) => [
    [`actionTitle${index + 1}`, button.label],
    [`actionURL${index + 1}`, linkOf(button)],
  ]);
  return card(`sampleActionCard${buttons.length}`, { ...opening, ...Object.fromEntries(numbered) });
}

function card(msgKey: string, parameters: Readonly<Record<string, string>>): RobotMessage {
  return { msgKey, msgParam: JSON.stringify(parameters) };
}

/** An answer makes whoever presses it say it; the full view opens in the browser, where people are signed in. */
function linkOf(button: FaceButton): string {
  return button.kind === "open"
    ? `dingtalk://dingtalkclient/page/link?pc_slide=false&url=${encodeURIComponent(button.url)}`
    : `dtmd://dingtalkclient/sendMessage?content=${encodeURIComponent(button.says)}`;
}

/** Letters, digits, signs such as ▲ and brackets: nothing that any markdown reads. */
function bare(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\p{So}()·]+/gu, " ").trim();
}
