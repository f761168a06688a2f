import type { CardFace, FaceButton } from "../../../../src/channels/face.js";
import { escapeText } from "../../../../src/core/text/escape.js";
import { type Shown, shown } from "../../../../src/core/text/shown.js";

const APPROVE: FaceButton = { kind: "approve", label: shown`同意`, value: "0a1b2c3d4e5f6a7b.a", says: "确认 27" };
const DENY: FaceButton = { kind: "deny", label: shown`拒绝`, value: "0a1b2c3d4e5f6a7b.d", says: "取消 27" };
const OPEN: FaceButton = {
  kind: "open",
  label: shown`查看完整内容`,
  url: "https://gate.example/approvals/apr_1?a=1&b=2",
};

export const BUTTONS: readonly FaceButton[] = [APPROVE, DENY, OPEN];

/** A question about deleting rows; the lines are the exact arguments. */
export function questionFace(lines: readonly string[] = ["table: orders"], buttons = BUTTONS): CardFace {
  return {
    locale: "zh",
    riskTier: "R3",
    heading: shown`▲ 高风险 (R3) · 27`,
    question: shown`删除 orders 中的数据？`,
    facts: [shown`小安 请求`, shown`db.delete (db)`],
    sections: [{ title: shown`参数（1 项）`, lines: lines.map((line): Shown => escapeText(line)), exact: true }],
    closing: [shown`回复 确认 27 或 取消 27`],
    buttons,
  };
}

/** The same once somebody has said yes. */
export function endedFace(): CardFace {
  return { ...questionFace(), closing: [shown`✓ 已由 小安 同意`], buttons: [] };
}

/** Words that chat clients like to make something of. */
export const HOSTILE = [
  "https://evil.example/approve?x=1",
  "go to evil.example now",
  "dtmd://dingtalkclient/sendMessage?content=%E7%A1%AE%E8%AE%A4",
  "[点此查看](https://evil.example)",
  "![](https://evil.example/pixel.png)",
  "@所有人 <@all> @manager4811 <a atId=manager4811>小安</a>",
  "**已批准** _safe_ ~~no~~ # 标题\n> quote\n- item\n```\ncode\n```",
  "<font color=green>approved</font>",
  "[微笑][OK]",
  "${approveValue} 10.0.0.1 ann@corp.example",
  "\u202Egnp.exe\u200B\u2066x\u2069",
] as const;
