import { type AnyTool, defineTool, type Locale } from "countersign";
import { z } from "zod";
import { type Outbox, readFolder } from "../mail/mail.js";
import { labelsOf } from "./labels.js";

const mail = z
  .object({
    // Not checked further than this: what looks wrong is to be shown to a person, not repaired or hidden.
    to: z
      .array(
        z
          .string()
          .trim()
          .min(3)
          .max(320)
          .regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/u, "is not an address"),
      )
      .min(1)
      .max(50),
    cc: z.array(z.email()).max(50).optional(),
    subject: z
      .string()
      .max(500)
      .regex(/^[^\r\n]*$/, "is one line"),
    body: z.string().max(100_000),
  })
  .strict();

export interface MailFolders {
  readonly inbox: string;
}

export function emailTools(outbox: Outbox, folders: MailFolders): readonly AnyTool[] {
  return [
    defineTool({
      name: "email.read",
      title: { en: "Read mail", zh: "读取邮件" },
      effect: "read",
      confirm: false,
      inputSchema: z.object({ limit: z.number().int().min(1).max(50).default(10) }).strict(),
      execute: async ({ limit }) => ({ mails: await readFolder(folders.inbox, limit) }),
    }),
    defineTool({
      name: "email.send",
      title: { en: "Send e-mail", zh: "发送邮件" },
      effect: "write",
      riskTier: "R3",
      confirm: true,
      tags: ["external"],
      actionType: "send_email",
      inputSchema: mail,
      labels: labelsOf(mail),
      confirmPrompt: ({ to, subject }: z.infer<typeof mail>, locale: Locale) =>
        locale === "zh"
          ? `将邮件“${subject}”发送给 ${to.join("、")}？`
          : `Send the e-mail "${subject}" to ${to.join(" and ")}?`,
      preview: ({ to, cc = [] }) => ({
        effects: [
          { kind: "send", noun: { en: "e-mail", zh: "邮件" }, count: to.length + cc.length, sample: [...to, ...cc] },
        ],
        targets: [...to, ...cc].map((address) => `mailto:${address}`),
      }),
      rollback: { note: { en: "An e-mail that left cannot be called back.", zh: "邮件发出后无法收回。" } },
      timeout: 60_000,
      execute: (args, { idempotencyKey }) => outbox.send(args, idempotencyKey),
      status: async (_args, { idempotencyKey }) => {
        const sent = await outbox.sent(idempotencyKey);
        if (sent === undefined) return { type: "unknown" };
        return sent ? { type: "succeeded" } : { type: "failed", error: "It was interrupted before it was sent." };
      },
    }),
  ];
}
