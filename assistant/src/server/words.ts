import type { Locale } from "countersign";

/** What `npm start` prints. */
export interface StartWords {
  readonly at: (url: string) => string;
  readonly signIn: (where: string) => string;
  readonly signInFile: (path: string) => string;
  readonly demo: string;
  readonly safeToKill: string;
  readonly stopping: string;
  readonly help: readonly string[];
  readonly unknownOption: (option: string) => string;
}

const en: StartWords = {
  at: (url) => `Countersign with the household assistant: ${url}`,
  signIn: (where) => `Sign in, once: ${where}`,
  signInFile: (path) => `The one-time sign-in link is in ${path}`,
  demo: "A demo agent with invented data is waiting for you. One click in the inbox removes it; --no-demo starts without.",
  safeToKill: "Ctrl-C stops it. Killing it loses nothing: what waits is still there afterwards.",
  stopping: "Finishing what runs …",
  help: [
    "npm start [-- options]",
    "",
    "  --port N        4747 unless said; 0 takes any free one",
    "  --data FOLDER   where everything is kept",
    "  --lang en|zh    language of the assistant",
    "  --no-demo       start without the demo agent",
    "  --no-open       do not open the browser",
    "  --help          this text",
  ],
  unknownOption: (option) => `Not understood: ${option}. Try --help.`,
};

const zh: StartWords = {
  at: (url) => `Countersign 与家庭助理：${url}`,
  signIn: (where) => `登录（一次有效）：${where}`,
  signInFile: (path) => `一次性登录链接保存在 ${path}`,
  demo: "一个使用虚构数据的演示代理正在等您。在收件箱中点一下即可移除；--no-demo 不启动演示。",
  safeToKill: "Ctrl-C 停止。强行结束也不会丢失任何内容：等待中的操作之后仍在。",
  stopping: "正在完成运行中的操作……",
  help: [
    "npm start [-- 选项]",
    "",
    "  --port N        默认 4747；0 表示任意空闲端口",
    "  --data 文件夹    所有内容的保存位置",
    "  --lang en|zh    助理的语言",
    "  --no-demo       不启动演示代理",
    "  --no-open       不打开浏览器",
    "  --help          显示此说明",
  ],
  unknownOption: (option) => `无法理解：${option}。请用 --help 查看。`,
};

export const START_WORDS: Readonly<Record<Locale, StartWords>> = { en, zh };
