import type { JsonObject, ToolCall } from "countersign";

/** A sentence in both languages: whoever looks may switch while the demo runs. */
export interface Bilingual {
  readonly en: string;
  readonly zh: string;
}

export type StepName = "unsure" | "outward" | "irreversible" | "outward_again" | "irreversible_less";

/** A call the demo agent waits on, what it says when it asks, and what it does about a no. */
export interface Step {
  readonly call: ToolCall;
  readonly asks: Bilingual;
  readonly done: Bilingual;
  readonly denied: Bilingual;
  /** The plan it makes instead. */
  readonly instead?: StepName;
}

export const DEMO_TODOS: readonly { readonly title: Bilingual; readonly done: boolean }[] = [
  { title: { en: "Buy charcoal for Saturday", zh: "买周六烧烤用的木炭" }, done: false },
  { title: { en: "Book the vet for Biscuit", zh: "给饼干约兽医" }, done: false },
  { title: { en: "Return the library books", zh: "还图书馆的书" }, done: false },
  { title: { en: "Pay the water bill", zh: "交水费" }, done: true },
  { title: { en: "Change the bed sheets", zh: "换床单" }, done: true },
];

const HONEST = ["ann@example.com", "ben@example.com"];
/** Its third letter is Cyrillic. The card says so; the agent has not noticed. */
const LOOK_ALIKE = "carol@ex\u0430mple.com";
const INVITATION: JsonObject = {
  subject: "Barbecue on Saturday",
  body: "Hello,\nwe start at five. Bring something to drink.\nSee you!",
};

export const READS: readonly { readonly call: ToolCall; readonly says: Bilingual }[] = [
  {
    call: { tool: "tasks.list", args: { status: "all" } },
    says: { en: "I looked at your tasks. Reads run without asking.", zh: "我查看了您的任务。读取无需询问。" },
  },
  {
    call: { tool: "email.read", args: {} },
    says: { en: "I looked into your mail. That is a read too.", zh: "我查看了您的邮件。这也是读取。" },
  },
];

export const STEPS: Readonly<Record<StepName, Step>> = {
  unsure: {
    call: {
      tool: "tasks.create",
      args: { title: "do something about the gutters", priority: "medium" },
      confidence: 0.65,
      summary: "Somebody said: we should probably do something about the gutters.",
    },
    asks: {
      en: "I heard “we should probably do something about the gutters”. I am only 65 % sure that it is a task, so I ask.",
      zh: "我听到“我们大概该处理一下排水沟了”。我只有 65% 的把握认为这是任务，所以先问您。",
    },
    done: { en: "The task is on your list.", zh: "任务已加入您的清单。" },
    denied: { en: "Not a task, then. I leave it and go on.", zh: "那就不是任务。我放下它，继续做别的。" },
  },
  outward: {
    call: {
      tool: "email.send",
      args: { ...INVITATION, to: [...HONEST, LOOK_ALIKE] },
      confidence: 0.95,
      summary: "The invitation you asked for.",
    },
    asks: {
      en: "I want to send an invitation to three people. Mail leaves this house, so I ask. Look at the addresses.",
      zh: "我想给三个人发邀请。邮件会离开这里，所以先问您。请看看收件地址。",
    },
    done: { en: "The mail is in the outbox folder as an .eml file.", zh: "邮件已作为 .eml 文件存入发件文件夹。" },
    denied: {
      en: "You said no. I plan again: the same mail, without the address that looks like another one.",
      zh: "您拒绝了。我重新计划：同一封邮件，去掉那个容易混淆的地址。",
    },
    instead: "outward_again",
  },
  outward_again: {
    call: { tool: "email.send", args: { ...INVITATION, to: [...HONEST] }, confidence: 0.95 },
    asks: { en: "May I send it to these two?", zh: "可以发给这两位吗？" },
    done: { en: "Sent to two people; the mail is in the outbox folder.", zh: "已发给两位；邮件在发件文件夹中。" },
    denied: { en: "Then no mail goes out.", zh: "那就不发邮件了。" },
  },
  irreversible: {
    call: { tool: "todo-clear", args: { all: true }, confidence: 0.99 },
    asks: {
      en: "I want to clear ALL todos. That cannot be undone: no setting of yours lets me do it unasked.",
      zh: "我想清空全部待办。这无法撤销：任何设置都不允许我不问就做。",
    },
    done: { en: "All todos are gone.", zh: "全部待办已删除。" },
    denied: {
      en: "You said no. I plan again: only the completed ones.",
      zh: "您拒绝了。我重新计划：只清理已完成的。",
    },
    instead: "irreversible_less",
  },
  irreversible_less: {
    call: { tool: "todo-clear", args: { all: false }, confidence: 0.99 },
    asks: { en: "May I clear the completed todos?", zh: "可以清理已完成的待办吗？" },
    done: {
      en: "The completed todos are gone, the open ones are still there.",
      zh: "已完成的待办已删除，未完成的还在。",
    },
    denied: { en: "Then your todos stay as they are.", zh: "那您的待办保持原样。" },
  },
};

export const FIRST_STEPS: readonly StepName[] = ["unsure", "outward", "irreversible"];

export const SAYS = {
  intro: {
    en: "This is a demo with invented data. Everything below passed or waits at the gate, and is in the audit log.",
    zh: "这是使用虚构数据的演示。以下一切都经过闸口或正在等待，并记录在审计日志中。",
  },
  changed: (places: string): Bilingual => ({
    en: `You changed ${places}, and that is what ran.`,
    zh: `您更改了 ${places}，执行的就是更改后的内容。`,
  }),
  expired: {
    en: "Nobody answered in time, so nothing happened. That is not a no: I may ask again.",
    zh: "没有人及时答复，所以什么也没发生。这不是拒绝：我可以再问。",
  },
  cancelled: { en: "The question was withdrawn.", zh: "问题已撤回。" },
  failed: (why: string): Bilingual => ({ en: `It did not work: ${why}`, zh: `没有成功：${why}` }),
} as const;
