import { type Shown, shown } from "../core/text/shown.js";
import type { Locale } from "../core/tool.js";

/** What the demo says between the cards. */
export interface DemoWords {
  readonly intro: Shown;
  readonly listing: Shown;
  readonly sending: Shown;
  readonly paying: Shown;
  readonly agentTold: (type: Shown, message: Shown) => Shown;
  readonly offerEdit: Shown;
  readonly newRecipient: Shown;
  readonly notAccepted: (why: Shown) => Shown;
  readonly verified: (entries: number) => Shown;
  readonly broken: (entry: number, problem: Shown) => Shown;
  readonly help: readonly Shown[];
  readonly unknownOption: (option: Shown) => Shown;
}

const en: DemoWords = {
  intro: shown`Three calls of an agent pass the gate: one runs, one waits for you, one is refused by a rule.`,
  listing: shown`1. The agent looks up contacts. Reads run.`,
  sending: shown`2. The agent wants to send an e-mail. Look closely before you answer.`,
  paying: shown`3. The agent wants to pay 250. A rule refuses payments over 100.`,
  agentTold: (type, message) => shown`The agent is told (${type}): ${message}`,
  offerEdit: shown`Or type e to change the recipient first.`,
  newRecipient: shown`New recipient:`,
  notAccepted: (why) => shown`That is not possible: ${why}`,
  verified: (entries) => shown`Every step is written down: ${entries} entries, and the chain holds.`,
  broken: (entry, problem) => shown`The chain is broken at entry ${entry}: ${problem}.`,
  help: [
    shown`npm run demo [-- options]: three calls of an agent through the gate, on a temporary database.`,
    shown`  --lang en|zh   the language of cards and words`,
    shown`  --json         one JSON object per line, no questions: what waits for a person is refused`,
    shown`  --help         this text`,
    shown`Without a terminal nobody can answer, so what waits for a person is refused.`,
  ],
  unknownOption: (option) => shown`There is no option ${option}. Try --help.`,
};

const zh: DemoWords = {
  intro: shown`一个智能体的三次调用经过关口：一次直接执行，一次等您回答，一次被规则拒绝。`,
  listing: shown`1. 智能体查看联系人。只读操作直接执行。`,
  sending: shown`2. 智能体想发送一封邮件。回答之前请仔细看。`,
  paying: shown`3. 智能体想支付 250。规则拒绝超过 100 的付款。`,
  agentTold: (type, message) => shown`智能体收到（${type}）：${message}`,
  offerEdit: shown`也可以输入 e 先修改收件人。`,
  newRecipient: shown`新的收件人：`,
  notAccepted: (why) => shown`无法这样做：${why}`,
  verified: (entries) => shown`每一步都已记录：共 ${entries} 条，链条完整。`,
  broken: (entry, problem) => shown`链条在第 ${entry} 条断开：${problem}。`,
  help: [
    shown`npm run demo [-- 选项]：在临时数据库上，让一个智能体的三次调用经过关口。`,
    shown`  --lang en|zh   卡片和文字的语言`,
    shown`  --json         每行一个 JSON 对象，不提问：等待回答的调用一律拒绝`,
    shown`  --help         显示本说明`,
    shown`没有终端就无人能回答，因此等待回答的调用会被拒绝。`,
  ],
  unknownOption: (option) => shown`没有选项 ${option}。请试 --help。`,
};

export const DEMO_WORDS: Readonly<Record<Locale, DemoWords>> = { en, zh };
