import { orderOf } from "../language/speech.js";
import { wordsIn } from "../words/words.js";
import { type Agent, STATED } from "./agent.js";

const SENDS =
  /^(?:send|write)\s+(?:an?\s+)?(?:e-?mail|mail|message)\s+to\s+(?<rest>.+)$|^e-?mail\s+(?<rest2>.+)$|^(?:发|发送|写)(?:一封|封|个)?(?:电子)?邮件(?:给|到)\s*(?<rest3>.+)$|^给\s*(?<rest4>\S+@\S+?)\s*(?:发|发送|写)(?:一封|封|个)?(?:电子)?邮件(?<rest5>.*)$/is;
const READS =
  /^(?:read|check|show|list|open|any)\b.*\b(?:mails?|e-?mails?|inbox)\b|^(?:my )?inbox[?.!]*$|\bany new (?:e-?)?mails?\b|^(?:查看|看看|读|收|检查|显示).*(?:邮件|收件箱)/i;
const ADDRESS = /[^\s@<>,;:，；：、]+@[^\s@<>,;:，；：、]+/gu;
const SUBJECT =
  /\b(?:about|subject:?|re:?)\s+(?<subject>.+?)(?=\s*(?:\bsaying\b|\bthat says\b|[:\n]|$))|主题(?:是|为|[:：])?\s*(?<subjectZh>.+?)(?=[,，。\n]|$)/is;
const BODY =
  /(?:\bsaying\b|\bthat says\b|[:\n])\s*(?<body>[\s\S]+)$|(?:内容|正文)(?:是|为|[:：])?\s*(?<bodyZh>[\s\S]+)$/i;
const LONGEST_SUBJECT = 78;

export const emailAgent: Agent = {
  domain: "email",
  plan({ text, locale }) {
    const groups = SENDS.exec(orderOf(text))?.groups;
    if (groups === undefined) {
      return READS.test(text)
        ? { type: "call", domain: "email", tool: "email.read", args: {}, confidence: STATED }
        : undefined;
    }
    const { rest, rest2, rest3, rest4, rest5 } = groups;
    const said = rest ?? rest2 ?? rest3 ?? `${rest4 ?? ""} ${rest5 ?? ""}`;
    const to = said.match(ADDRESS) ?? [];
    // Names are not turned into addresses: guessing whom to write to is how mail goes astray.
    if (to.length === 0)
      return { type: "say", domain: "email", text: wordsIn(locale).toWhom, payload: { awaitingInput: "to" } };
    const after = said.slice(said.lastIndexOf(to.at(-1) ?? "") + (to.at(-1)?.length ?? 0));
    const { subject, subjectZh } = SUBJECT.exec(after)?.groups ?? {};
    const { bodyZh, body } = { ...BODY.exec(after)?.groups };
    const content = (bodyZh ?? body ?? "").trim();
    const line = (subject ?? subjectZh ?? firstLine(content)).trim();
    return {
      type: "call",
      domain: "email",
      tool: "email.send",
      args: { to: [...to], subject: line, body: content },
      confidence: 0.9,
    };
  },
};

function firstLine(text: string): string {
  return [...(text.split("\n")[0] ?? "")].slice(0, LONGEST_SUBJECT).join("");
}
