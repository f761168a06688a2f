import { describe, expect, it } from "vitest";
import { BUTTONS, endedFace, HOSTILE, questionFace } from "../../../test/channels/stand-ins/dingtalk/face.js";
import { cardMarkup, plainMarkup } from "../../../test/channels/stand-ins/dingtalk/markup.js";
import { shown } from "../../core/text/shown.js";
import { buttonsMessage, endMessage, faceMessage, fitsMessage, type RobotMessage, textMessages } from "./plain.js";

function paramsOf(message: RobotMessage | undefined): Record<string, string> {
  return JSON.parse(message?.msgParam ?? "{}") as Record<string, string>;
}

describe("a face without a template", () => {
  it("is a text with everything on it, and buttons under it that make people say the answer", () => {
    const { content = "" } = paramsOf(faceMessage(questionFace()));
    for (const words of ["▲ 高风险 (R3) · 27", "table: orders", "回复 确认 27"]) expect(content).toContain(words);
    const buttons = buttonsMessage(questionFace());
    expect(buttons?.msgKey).toBe("sampleActionCard3");
    expect(paramsOf(buttons)).toEqual({
      title: "▲ 高风险 (R3) · 27",
      text: "▲ 高风险 (R3) · 27",
      actionTitle1: "同意",
      actionURL1: "dtmd://dingtalkclient/sendMessage?content=%E7%A1%AE%E8%AE%A4%2027",
      actionTitle2: "拒绝",
      actionURL2: "dtmd://dingtalkclient/sendMessage?content=%E5%8F%96%E6%B6%88%2027",
      actionTitle3: "查看完整内容",
      actionURL3:
        "dingtalk://dingtalkclient/page/link?pc_slide=false&url=https%3A%2F%2Fgate.example%2Fapprovals%2Fapr_1%3Fa%3D1%26b%3D2",
    });
  });

  it("has the one button it offers, or none", () => {
    const [, deny, open] = BUTTONS;
    if (deny === undefined || open === undefined) throw new Error("The face has three buttons.");
    expect(buttonsMessage(questionFace([], [open]))?.msgKey).toBe("sampleActionCard");
    expect(paramsOf(buttonsMessage(questionFace([], [open]))).singleTitle).toBe("查看完整内容");
    expect(buttonsMessage(questionFace([], [deny, open]))?.msgKey).toBe("sampleActionCard2");
    expect(buttonsMessage(endedFace())).toBeUndefined();
  });

  it("puts nothing of the agent's into the message that is markdown, whatever the heading holds", () => {
    const face = { ...questionFace(HOSTILE), heading: shown`**▲** [高](dtmd://x) <b>_R3_ · 27` };
    const { text = "", title = "" } = paramsOf(buttonsMessage(face));
    expect(cardMarkup(text)).toEqual([]);
    expect(title).toBe(text);
    for (const hostile of HOSTILE) expect(text).not.toContain(hostile);
  });

  it("shows hostile values letter by letter and makes nothing of them", () => {
    const { content = "" } = paramsOf(faceMessage(questionFace(HOSTILE)));
    expect(plainMarkup(content)).toEqual([]);
    expect(content.replaceAll("\u200B", "")).toContain("**已批准** _safe_");
  });

  it("fits up to what DingTalk allows a message, counted in bytes as they are sent", () => {
    const empty = Buffer.byteLength(faceMessage(questionFace([""])).msgParam);
    const room = 15_000 - empty;
    expect(fitsMessage(faceMessage(questionFace(["x".repeat(room)])))).toBe(true);
    expect(fitsMessage(faceMessage(questionFace(["x".repeat(room + 1)])))).toBe(false);
    expect(fitsMessage(faceMessage(questionFace(["汉".repeat(room / 2)])))).toBe(false);
  });

  it("says in a new message how it ended", () => {
    const { content } = paramsOf(endMessage(endedFace()));
    expect(content).toBe("▲ 高风险 (R3) · 27\n删除 orders 中的数据？\n✓ 已由 小安 同意");
  });

  it("says long words in several messages", () => {
    const messages = textMessages("a line of words\n".repeat(3000).trimEnd());
    expect(messages.length).toBe(4);
    expect(messages.every(fitsMessage)).toBe(true);
    expect(messages.map((message) => paramsOf(message).content).join("\n")).toBe(
      "a line of words\n".repeat(3000).trimEnd(),
    );
  });
});
