import type { Source } from "../core/engine.js";
import { type AnyTool, defineTool } from "../core/tool.js";

const CONTACTS = [{ name: "Ann", email: "ann@example.com" }];

/** An address with one Cyrillic letter, and a name that an override would show backwards. */
export const HOSTILE_MAIL = {
  to: "ann@ex\u0430mple.com",
  subject: "Invoice \u202efdp.exe",
  body: "Dear Ann,\nplease open the attachment.",
};

/** What the demo's mail server would have sent. */
export interface Sent {
  readonly to: string;
}

export function demoTools(outbox: Sent[]): readonly AnyTool[] {
  return [
    defineTool({
      name: "contacts.list",
      title: "List contacts",
      effect: "read",
      execute: () => ({ contacts: CONTACTS }),
    }),
    defineTool<{ readonly to: string; readonly subject: string; readonly body: string }>({
      name: "mail.send",
      title: "Send e-mail",
      confirmPrompt: { en: "Send {subject} to {to}?", zh: "将 {subject} 发送给 {to}？" },
      preview: () => ({ effects: [{ kind: "send", noun: { en: "e-mail", zh: "邮件" }, count: 1 }] }),
      rollback: {
        note: { en: "An e-mail that left cannot be called back.", zh: "邮件发出后无法收回。" },
      },
      execute: ({ to }) => {
        outbox.push({ to });
        return { sent: true };
      },
    }),
    defineTool<{ readonly amount: number; readonly payee: string }>({
      name: "bank.pay",
      title: "Pay",
      tags: ["payment"],
      confirmPrompt: { en: "Pay {amount} to {payee}?", zh: "向 {payee} 支付 {amount}？" },
      execute: () => ({ paid: true }),
    }),
  ];
}

/** A rule as a policy would state it: payments over 100 are refused, whoever asks. */
export const noLargePayments: Source = ({ tool, args }) => {
  const { amount } = args as { readonly amount?: unknown };
  const isLarge = tool?.name === "bank.pay" && !(typeof amount === "number" && amount <= 100);
  const denial = {
    type: "deny",
    step: "deny_rule",
    rules: ["payments-over-100"],
    reason: "payments over 100 are refused",
  } as const;
  return Promise.resolve(isLarge ? [denial] : []);
};
