import { z } from "zod";
import { defineTool } from "../../src/index.js";

const TASKS = ["Renew the passport", "Book the dentist", "Water the plants", "Call the landlord"];

/** What the sample tools did, in order. */
export interface Ran {
  readonly tool: string;
  readonly args: unknown;
}

/** One tool of each tier and kind, with everything a card can show. */
export function sampleTools(ran: Ran[]) {
  const run = (tool: string) => (args: unknown) => {
    ran.push({ tool, args });
    return { ok: true };
  };
  return [
    defineTool({
      name: "tasks.list",
      title: { en: "List tasks", zh: "列出任务" },
      effect: "read",
      inputSchema: z.object({ list: z.string().optional() }),
      execute: () => TASKS,
    }),
    defineTool<{ readonly title: string; readonly start: string; readonly guests: readonly string[] }>({
      name: "calendar.create",
      title: { en: "Create an event", zh: "新建日程" },
      effect: "write",
      riskTier: "R2",
      confirm: true,
      inputSchema: z.object({ title: z.string(), start: z.string(), guests: z.array(z.string()) }),
      labels: {
        title: { en: "Title", zh: "标题" },
        start: { en: "Start", zh: "开始" },
        guests: { en: "Guests", zh: "参与者" },
      },
      confirmPrompt: { en: "Create the event {title}?", zh: "新建日程 {title}？" },
      preview: ({ guests }) => ({
        effects: [{ kind: "create", noun: { en: "event", zh: "日程" }, count: 1 }],
        targets: [...guests],
      }),
      rollback: {
        note: { en: "The event can be deleted again.", zh: "可以再删除该日程。" },
        call: ({ title }) => ({ tool: "calendar.delete", args: { title } }),
      },
      dryRun: ({ title }) => ({ would: "create", title, conflicts: [] }),
      execute: run("calendar.create"),
    }),
    defineTool<{ readonly title: string }>({
      name: "calendar.delete",
      title: { en: "Delete an event", zh: "删除日程" },
      effect: "write",
      riskTier: "R1",
      inputSchema: z.object({ title: z.string() }),
      execute: run("calendar.delete"),
    }),
    defineTool<{ readonly to: readonly string[]; readonly subject: string; readonly body: string }>({
      name: "email.send",
      title: { en: "Send e-mail", zh: "发送邮件" },
      effect: "write",
      inputSchema: z.object({ to: z.array(z.string()), subject: z.string(), body: z.string() }),
      labels: {
        to: { en: "To", zh: "收件人" },
        subject: { en: "Subject", zh: "主题" },
        body: { en: "Text", zh: "正文" },
      },
      confirmPrompt: { en: "Send {subject} to {to}?", zh: "将 {subject} 发送给 {to}？" },
      preview: ({ to }) => ({
        effects: [{ kind: "send", noun: { en: "e-mail", zh: "邮件" }, count: to.length }],
        targets: [...to],
      }),
      rollback: { note: { en: "An e-mail that left cannot be called back.", zh: "邮件发出后无法收回。" } },
      execute: run("email.send"),
    }),
    defineTool<{ readonly amount: number; readonly payee: string; readonly pin: string }>({
      name: "bank.pay",
      title: { en: "Pay", zh: "付款" },
      effect: "write",
      tags: ["payment"],
      sensitive: ["pin"],
      inputSchema: z.object({ amount: z.number(), payee: z.string(), pin: z.string() }),
      labels: {
        amount: { en: "Amount", zh: "金额" },
        payee: { en: "To", zh: "收款人" },
        pin: { en: "PIN", zh: "密码" },
      },
      confirmPrompt: { en: "Pay {amount} to {payee}?", zh: "向 {payee} 支付 {amount}？" },
      preview: ({ amount }) => ({
        effects: [{ kind: "spend", noun: "EUR", count: amount }],
        warnings: [
          { code: "new_payee", message: "Nothing was ever paid to this account.", severity: "caution" as const },
        ],
      }),
      execute: run("bank.pay"),
    }),
    defineTool<{ readonly list: string }>({
      name: "tasks.clear",
      title: { en: "Clear a list", zh: "清空清单" },
      effect: "write",
      destructive: true,
      inputSchema: z.object({ list: z.string() }),
      labels: { list: { en: "List", zh: "清单" } },
      confirmPrompt: { en: "Delete all tasks of {list}?", zh: "删除 {list} 中的所有任务？" },
      preview: () => ({
        effects: [{ kind: "delete", noun: { en: "task", zh: "任务" }, count: TASKS.length, sample: TASKS.slice(0, 3) }],
      }),
      rollback: { note: { en: "There is no way back.", zh: "无法恢复。" } },
      execute: run("tasks.clear"),
    }),
    defineTool<{ readonly command: string }>({
      name: "shell.run",
      title: { en: "Run a command", zh: "运行命令" },
      effect: "write",
      riskTier: "R3",
      inputSchema: z.object({ command: z.string() }),
      confirmPrompt: { en: "Run {command}?", zh: "运行 {command}？" },
      execute: () => {
        throw new Error("exit code 1");
      },
    }),
    defineTool<{ readonly title: string }>({
      name: "tasks.add",
      title: { en: "Add a task", zh: "添加任务" },
      effect: "write",
      riskTier: "R1",
      inputSchema: z.object({ title: z.string() }),
      execute: run("tasks.add"),
    }),
    // Nobody hears from it again: what became of it is unknown.
    defineTool<{ readonly disk: string }>({
      name: "backup.run",
      title: { en: "Back up", zh: "备份" },
      effect: "write",
      riskTier: "R2",
      confirm: true,
      timeout: 50,
      inputSchema: z.object({ disk: z.string() }),
      confirmPrompt: { en: "Back up to {disk}?", zh: "备份到 {disk}？" },
      execute: () => new Promise(() => undefined),
    }),
    // It gives more than it said.
    defineTool<{ readonly month: string }>({
      name: "report.read",
      title: { en: "Read a report", zh: "读取报告" },
      effect: "read",
      outputSize: 50,
      inputSchema: z.object({ month: z.string() }),
      execute: ({ month }) => `${month}: ${"very much ".repeat(50)}`,
    }),
  ];
}
