import type { Locale } from "countersign";

/** What the terminal chat says by itself. */
export interface TerminalWords {
  readonly hello: readonly string[];
  readonly you: string;
  readonly bye: string;
  readonly notValid: string;
  readonly help: readonly string[];
  readonly unknownOption: (option: string) => string;
}

const en: TerminalWords = {
  hello: [
    "Household assistant. Say what you want; /quit ends.",
    "What cannot be taken back is shown first and waits for your answer.",
  ],
  you: "you > ",
  bye: "Bye. What waits is still there next time.",
  notValid: "That was not accepted.",
  help: [
    "npm run chat [-- options]",
    "",
    "  --data FOLDER   where tasks, mail and files are kept",
    "  --lang en|zh    language of the assistant and of the cards",
    "  --help          this text",
  ],
  unknownOption: (option) => `Not understood: ${option}. Try --help.`,
};

const zh: TerminalWords = {
  hello: ["家庭助理。请直接说您想做什么；/quit 结束。", "无法撤回的操作会先显示并等待您的答复。"],
  you: "您 > ",
  bye: "再见。等待中的操作下次仍在。",
  notValid: "没有接受。",
  help: [
    "npm run chat [-- 选项]",
    "",
    "  --data 文件夹    任务、邮件和文件的保存位置",
    "  --lang en|zh    助理和卡片的语言",
    "  --help          显示此说明",
  ],
  unknownOption: (option) => `无法理解：${option}。请用 --help 查看。`,
};

export const TERMINAL_WORDS: Readonly<Record<Locale, TerminalWords>> = { en, zh };
