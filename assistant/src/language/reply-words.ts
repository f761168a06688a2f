import { normalise } from "./text.js";

const YES = new Set(
  "yes|y|yep|yeah|yup|ok|okay|sure|confirm|confirmed|approve|approved|go ahead|do it|yes please|please do|yes do it|确认|确定|是|是的|好|好的|可以|行|同意|批准|执行|嗯".split(
    "|",
  ),
);
const NO = new Set(
  "no|n|nope|cancel|cancel it|cancel that|cancel this|abort|stop|never mind|nevermind|forget it|no thanks|no thank you|don't|do not|please cancel|cancel please|取消|取消吧|取消它|算了|不|不要|不用|不用了|不了|拒绝|别|停|停止|放弃|先别|不行".split(
    "|",
  ),
);

/** A whole message that is an answer and nothing else. Words inside a sentence are never one. */
export function plainReply(message: string): "yes" | "no" | undefined {
  const said = normalise(message)
    .toLowerCase()
    .replace(/[\s.!,。!，~]+$/, "")
    .replace(/^[\s,，]+/, "");
  if (NO.has(said)) return "no";
  return YES.has(said) ? "yes" : undefined;
}
