import { type Shown, shown } from "../core/text/shown.js";
import type { Locale } from "../core/tool.js";

/** Every sentence that a channel says by itself, in one language. What stands on a card comes from the card. */
export interface ChannelWords {
  readonly approve: Shown;
  readonly deny: Shown;
  /** The same two for one's own call. */
  readonly confirm: Shown;
  readonly cancel: Shown;
  readonly openFull: Shown;
  /** How to answer in words; the code names the question where several are open. */
  readonly howPrivate: (yes: Shown, no: Shown, code: Shown) => Shown;
  readonly howGroup: (yes: Shown, no: Shown, code: Shown) => Shown;
  /** Further words of the workspace, and what happens with all others where it is strict. */
  readonly alsoYes: (words: Shown) => Shown;
  readonly alsoNo: (words: Shown) => Shown;
  readonly elseCancels: Shown;
  readonly onlyDeny: (no: Shown, code: Shown) => Shown;
  /** Why there is no yes here. */
  readonly tooLarge: Shown;
  readonly maskedInGroup: Shown;
  readonly elsewhere: Shown;
  readonly notYours: Shown;
  // how it ended
  readonly approvedBy: (name: Shown) => Shown;
  readonly approvedByRules: Shown;
  readonly deniedBy: (name: Shown) => Shown;
  readonly expired: Shown;
  readonly cancelled: Shown;
  readonly changed: Shown;
  readonly running: Shown;
  readonly succeeded: Shown;
  readonly failed: Shown;
  readonly unknown: Shown;
  readonly reason: (reason: Shown) => Shown;
  // what people are told in return
  readonly stranger: Shown;
  readonly notAudience: Shown;
  readonly nothingOpen: Shown;
  readonly needsCode: (open: readonly Shown[]) => Shown;
  readonly openLine: (code: Shown, question: Shown) => Shown;
  readonly wrongCode: Shown;
  readonly locked: Shown;
  readonly wordIsNotEnough: (yes: Shown, code: Shown) => Shown;
  readonly askAgain: (yes: Shown, no: Shown, code: Shown) => Shown;
  readonly voted: (votes: number, needed: number) => Shown;
  readonly tooLate: Shown;
  readonly notFound: Shown;
  readonly trouble: Shown;
  readonly reminder: (question: Shown) => Shown;
  readonly linked: (name: Shown) => Shown;
  readonly linkRefused: Shown;
  readonly unreached: (question: Shown) => Shown;
  readonly testCard: Shown;
  // what an agent's tool is told
  readonly timeout: Shown;
  readonly refused: Shown;
  readonly noContext: Shown;
}

const en: ChannelWords = {
  approve: shown`Approve`,
  deny: shown`Deny`,
  confirm: shown`Confirm`,
  cancel: shown`Cancel`,
  openFull: shown`Open full view`,
  howPrivate: (yes, no, code) =>
    shown`Reply ${yes} or ${no}. With more than one question open, add its number: ${yes} ${code}.`,
  howGroup: (yes, no, code) => shown`Use the buttons, answer this message, or reply ${yes} ${code} or ${no} ${code}.`,
  alsoYes: (words) => shown`Also yes: ${words}.`,
  alsoNo: (words) => shown`Also no: ${words}.`,
  elseCancels: shown`Any other answer cancels it.`,
  onlyDeny: (no, code) => shown`Reply ${no} ${code} to refuse it here.`,
  tooLarge: shown`This is too large to show here in full, so it cannot be approved here. Open the full view.`,
  maskedInGroup: shown`It holds masked values, so it is not approved in a group. Open the full view.`,
  elsewhere: shown`A yes to this needs more proof than this chat can give. Open the full view.`,
  notYours: shown`Somebody else has to answer this.`,
  approvedBy: (name) => shown`✓ Approved by ${name}`,
  approvedByRules: shown`✓ Approved`,
  deniedBy: (name) => shown`✕ Denied by ${name}. It did not run.`,
  expired: shown`⏱ Expired: nobody answered in time. It did not run.`,
  cancelled: shown`– Withdrawn by whoever asked. It did not run.`,
  changed: shown`Changed by a person. The question is put anew below.`,
  running: shown`It runs now.`,
  succeeded: shown`It ran once and succeeded.`,
  failed: shown`It ran once and failed.`,
  unknown: shown`It was started once and nobody can tell whether it finished.`,
  reason: (reason) => shown`Reason: ${reason}`,
  stranger: shown`This account is not connected to anybody who may answer here. Connect it in Settings of the web app.`,
  notAudience: shown`This question is for other people.`,
  nothingOpen: shown`Nothing is waiting for an answer here.`,
  needsCode: (open) => shown`Which one? Answer its card, or reply with its number:\n${join(open)}`,
  openLine: (code, question) => shown`${code}: ${question}`,
  wrongCode: shown`No open question here has this number.`,
  locked: shown`Too many wrong numbers. Use the buttons or the full view.`,
  wordIsNotEnough: (yes, code) =>
    shown`A word alone does not approve this. Use the button, answer its card, or reply ${yes} ${code}.`,
  askAgain: (yes, no, code) =>
    shown`I did not take that as an answer; the question is still open. Reply ${yes} ${code} or ${no} ${code}.`,
  voted: (votes, needed) => shown`Your yes counts: ${votes} of ${needed}.`,
  tooLate: shown`Too late: this question has ended already.`,
  notFound: shown`This button belongs to no question that is known here.`,
  trouble: shown`That did not work just now, and nothing was decided. Try again.`,
  reminder: (question) => shown`One minute left to answer: ${question}`,
  linked: (name) => shown`Connected: you answer here as ${name} from now on.`,
  linkRefused: shown`This code was used already, has expired or is wrong. Make a new one in Settings.`,
  unreached: (question) => shown`Nobody who may answer could be reached, so it does not run: ${question}`,
  testCard: shown`This is a test: nothing runs, whatever you press.`,
  timeout: shown`Operation cancelled (timeout)`,
  refused: shown`The user refused this operation. Do not try it again; ask what is wanted.`,
  noContext: shown`Nobody can be asked here: this run belongs to no chat. It was refused.`,
};

const zh: ChannelWords = {
  approve: shown`同意`,
  deny: shown`拒绝`,
  confirm: shown`确认`,
  cancel: shown`取消`,
  openFull: shown`查看完整内容`,
  howPrivate: (yes, no, code) => shown`回复 ${yes} 或 ${no}。有多项待处理时请带上编号：${yes} ${code}。`,
  howGroup: (yes, no, code) => shown`请点按钮、回复此消息，或发送 ${yes} ${code} / ${no} ${code}。`,
  alsoYes: (words) => shown`也可以用 ${words} 表示同意。`,
  alsoNo: (words) => shown`也可以用 ${words} 表示拒绝。`,
  elseCancels: shown`其他任何答复都会取消此操作。`,
  onlyDeny: (no, code) => shown`发送 ${no} ${code} 可在此拒绝。`,
  tooLarge: shown`内容过长，无法在此完整显示，因此不能在此同意。请查看完整内容。`,
  maskedInGroup: shown`其中有被隐藏的值，群内不能同意。请查看完整内容。`,
  elsewhere: shown`同意此操作需要更强的身份证明。请查看完整内容。`,
  notYours: shown`需要由其他人答复。`,
  approvedBy: (name) => shown`✓ 已由 ${name} 同意`,
  approvedByRules: shown`✓ 已同意`,
  deniedBy: (name) => shown`✕ 已由 ${name} 拒绝，未执行。`,
  expired: shown`⏱ 已过期：无人及时答复，未执行。`,
  cancelled: shown`– 发起方已撤回，未执行。`,
  changed: shown`有人修改了内容，将重新询问。`,
  running: shown`正在执行。`,
  succeeded: shown`已执行一次，成功。`,
  failed: shown`已执行一次，失败。`,
  unknown: shown`已开始执行一次，但无法得知是否完成。`,
  reason: (reason) => shown`原因：${reason}`,
  stranger: shown`此账号尚未关联可以答复的人。请在网页的设置中关联。`,
  notAudience: shown`这个问题需要由其他人答复。`,
  nothingOpen: shown`这里没有待答复的操作。`,
  needsCode: (open) => shown`是哪一项？请直接回复那张卡片，或带上编号：\n${join(open)}`,
  openLine: (code, question) => shown`${code}：${question}`,
  wrongCode: shown`这里没有这个编号的待处理项。`,
  locked: shown`编号错误次数过多。请使用按钮或查看完整内容。`,
  wordIsNotEnough: (yes, code) => shown`仅凭一个词不能同意此操作。请点按钮、回复那张卡片，或发送 ${yes} ${code}。`,
  askAgain: (yes, no, code) => shown`这不能算作答复，操作仍在等待。请回复 ${yes} ${code} 或 ${no} ${code}。`,
  voted: (votes, needed) => shown`已记录您的同意：${votes}/${needed}。`,
  tooLate: shown`来晚了：此操作已有结果。`,
  notFound: shown`这个按钮不属于这里的任何操作。`,
  trouble: shown`刚才没有成功，未作任何决定。请重试。`,
  reminder: (question) => shown`还剩一分钟：${question}`,
  linked: (name) => shown`已关联：今后您在此以 ${name} 的身份答复。`,
  linkRefused: shown`此代码已被使用、已过期或不正确。请在设置中重新生成。`,
  unreached: (question) => shown`无法联系到可以答复的人，因此不执行：${question}`,
  testCard: shown`这是测试卡片：无论点什么都不会执行。`,
  timeout: shown`操作已取消（超时）`,
  refused: shown`用户已拒绝此操作。请勿重试，先询问用户的意图。`,
  noContext: shown`此次运行不属于任何会话，无人可问，已拒绝。`,
};

function join(lines: readonly Shown[]): Shown {
  return lines.join("\n") as Shown;
}

const CATALOGUE: Readonly<Record<Locale, ChannelWords>> = { en, zh };

export function channelWords(locale: Locale): ChannelWords {
  return CATALOGUE[locale];
}

/** The words by which a reply says yes and no, as the prompt names them. */
export function replyWordsIn(locale: Locale): { readonly yes: Shown; readonly no: Shown } {
  return locale === "zh" ? { yes: shown`确认`, no: shown`取消` } : { yes: shown`confirm`, no: shown`cancel` };
}
