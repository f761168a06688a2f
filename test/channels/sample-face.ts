import type { CardFace } from "../../src/channels/face.js";
import { type Shown, shown } from "../../src/core/text/shown.js";

/** Text that passed the sanitiser, which leaves markdown, mentions and addresses as they are. */
export const asShown = (text: string) => text as Shown;

export const APPROVE = "k3J9xQ2mVbT7wLr5PzY8Ng.a";
export const DENY = "k3J9xQ2mVbT7wLr5PzY8Ng.d";

/** A face with everything that a face can have; `argument` stands for all of its arguments. */
export function sampleFace(over: Partial<CardFace> & { readonly argument?: string } = {}): CardFace {
  const { argument, ...rest } = over;
  return {
    locale: "en",
    riskTier: "R3",
    heading: shown`◆ Leaves the system (R3) · 27`,
    question: shown`Send an e-mail to bob@example.com?`,
    facts: [shown`Ann's assistant asks · until 2026-11-16 05:00 UTC`, shown`mail.send (mail)`],
    sections: [
      {
        title: shown`Arguments (2 values, 64 bytes)`,
        lines:
          argument === undefined
            ? [shown`to: "bob@example.com"`, shown`body: "See https://example.com/report"`]
            : [asShown(argument)],
        exact: true,
      },
      { title: shown`Why you are asked`, lines: [shown`It leaves the system.`] },
    ],
    closing: [shown`Answer with a button, or write: approve 27`],
    buttons: [
      { kind: "approve", label: shown`Approve`, value: APPROVE, says: "approve 27" },
      { kind: "deny", label: shown`Deny`, value: DENY, says: "deny 27" },
      { kind: "open", label: shown`Open full view`, url: "https://countersign.example/approvals/a1" },
    ],
    ...rest,
  };
}

/** The same card when its question has ended. */
export function endedFace(): CardFace {
  return sampleFace({ closing: [shown`Approved by Ann.`], buttons: [] });
}

/** What a value could try to become: links, mentions, formats, commands, on any of the platforms. */
export const HOSTILE: readonly string[] = [
  "*ALREADY APPROVED* _by the owner_ ~no~ `code` ```block```",
  "[Approve](https://evil.example/yes) ![x](https://evil.example/x.png)",
  "<https://evil.example|Approve> <!channel> <!here> <!everyone> <@U012AB3CD> <#C012AB3CD> <!subteam^S1>",
  "@everyone @channel @here @all @countersign_bot @ann_the_owner @所有人",
  '<at id=all></at> <at user_id="all">everyone</at> </at> <b>bold</b> <a href="https://evil.example">x</a>',
  "https://evil.example/approve evil.example www.evil.example evil.sh файл.рф mail@evil.example",
  "/approve /deny@countersign_bot #approved $EUR +1 212 555 0123 4111111111111111",
  "&lt;!channel&gt; &amp; \\*x\\* \\[x\\](y) ||spoiler|| __u__ >quote",
  "tg://user?id=1003 slack://open?team=T1 mailto:x@evil.example tel:+12125550123",
  ":rocket: :+1: <!date^1392734382^{date}|x> 1. list - item # Heading",
];

export function hostileFace(): CardFace {
  const lines = HOSTILE.map(asShown);
  const [first = shown``] = lines;
  return sampleFace({
    question: first,
    facts: lines,
    sections: [
      { title: asShown("Arguments"), lines, exact: true },
      { title: asShown("Why you are asked"), lines },
    ],
    closing: lines,
  });
}
