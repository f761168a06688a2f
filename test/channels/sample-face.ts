import type { CardFace } from "../../src/channels/face.js";
import type { Shown } from "../../src/core/text/shown.js";

const s = (text: string) => text as Shown;

/** A face as of a held call, with everything that a face can have. */
export function sampleFace(changes: Partial<CardFace> & { readonly argument?: string } = {}): CardFace {
  const { argument = "to: ann@example.com", ...rest } = changes;
  return {
    locale: "en",
    riskTier: "R3",
    heading: s("▲ risky (R3) · 27"),
    question: s("Send an email?"),
    facts: [s("Assistant asks for Bob · until 2026-01-01 10:00 UTC"), s("mail.send (mail)")],
    sections: [
      { title: s("Arguments (1 value, 20 bytes)"), lines: [s(argument)], exact: true },
      { title: s("Why"), lines: [s("leaves the system")] },
    ],
    closing: [s("Answer with a button.")],
    buttons: [
      { kind: "approve", label: s("Approve"), value: "01JABCDEFGHJKMNPQRSTVWXYZ0.yes", says: "approve 27" },
      { kind: "deny", label: s("Deny"), value: "01JABCDEFGHJKMNPQRSTVWXYZ0.no", says: "deny 27" },
      { kind: "open", label: s("Open full view"), url: "https://inbox.example/a/01JABC" },
    ],
    ...rest,
  };
}
