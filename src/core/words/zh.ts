import type { TextNotice, TextNoticeCode } from "../text/inspect.js";
import { type Shown, shown } from "../text/shown.js";
import type { ReasonFacts, Words } from "./words.js";
import { FINDINGS } from "./zh-findings.js";
import { placeFinding } from "./zh-places.js";

const VERBS: Readonly<Record<string, Shown>> = {
  create: shown`新建`,
  update: shown`修改`,
  delete: shown`删除`,
  send: shown`发送`,
  spend: shown`花费`,
  read: shown`读取`,
};

const RISK = {
  R0: shown`仅查看`,
  R1: shown`可撤销`,
  R2: shown`敏感`,
  R3: shown`对外或花费`,
  R4: shown`不可撤销`,
};

/** By the finding's code; a finding that is not listed keeps its own sentence. */
const REASONS: Readonly<Record<string, (facts: ReasonFacts) => Shown>> = {
  destructive: () => shown`该工具声明其结果无法恢复。`,
  declared_tier: ({ riskTier }) => shown`该工具声明的风险为“${RISK[riskTier]}”。`,
  undeclared_write: () => shown`该工具会写入，但未说明影响范围。`,
  tag: ({ fragment = shown`？` }) => shown`该工具带有标签“${fragment}”。`,
  verb: ({ fragment = shown`？`, riskTier }) =>
    riskTier === "R4" ? shown`“${fragment}”会彻底移除内容。` : shown`“${fragment}”会影响到本系统之外。`,
  low_confidence: ({ sure = 0 }) => shown`智能体只有 ${sure}% 的把握这就是所要求的。`,
  rule_failed: ({ fragment = shown`？` }) => shown`规则“${fragment}”无法用于此次调用。`,
  unknown_tool: () => shown`这里没有这个名称的工具。`,
  uninspectable: () => shown`无法检查：无从判断它会做什么。`,
};

// The code may come from a tool: "constructor" must not resolve.
function reasonIn(facts: ReasonFacts): Shown | undefined {
  if (Object.hasOwn(REASONS, facts.code)) return REASONS[facts.code]?.(facts);
  if (Object.hasOwn(FINDINGS, facts.code)) return FINDINGS[facts.code];
  return placeFinding(facts.code, facts.text);
}

const NOTICES: Readonly<Record<TextNoticeCode, (notice: Facts) => Shown>> = {
  control: ({ count, fragment }) => shown`含有 ${count} 个控制字符，如 ${fragment}。`,
  bidi: ({ count, fragment }) => shown`含有 ${count} 个会改变文字显示顺序的字符，如 ${fragment}。`,
  invisible: ({ count, fragment }) => shown`含有 ${count} 个不可见或未定义的字符，如 ${fragment}。`,
  marks: () => shown`含有会覆盖周围文字的附加符号。`,
  not_composed: () => shown`字母用了另一种写法：看起来相同，实际并不相等。`,
  right_to_left: () => shown`含有从右向左书写的字母：先显示的未必在前。`,
  mixed_scripts: ({ count, fragment, scripts }) =>
    shown`有 ${count} 个词混用了不同文字的字母，如“${fragment}”（${scripts}）。`,
  confusable: ({ count, fragment, scripts }) =>
    shown`有 ${count} 个词看起来像别的词，其实不是，如“${fragment}”（${scripts}）。`,
  look_alike_host: ({ fragment, scripts, really }) => shown`域名与看上去的不同：“${fragment}”（${scripts}）${really}。`,
  padding: ({ count }) => shown`连续含有 ${count} 个空白字符。`,
  long: ({ count }) => shown`内容很长：${count} 个字符。`,
};

interface Facts {
  readonly count: number;
  readonly fragment: Shown;
  readonly really: Shown;
  readonly scripts: Shown;
}

/** Those by which names are usually imitated. Others keep their Unicode name. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Arabic: "阿拉伯字母",
  Armenian: "亚美尼亚字母",
  Cherokee: "切罗基字母",
  Coptic: "科普特字母",
  Cyrillic: "西里尔字母",
  Georgian: "格鲁吉亚字母",
  Greek: "希腊字母",
  Han: "汉字",
  Hebrew: "希伯来字母",
  Latin: "拉丁字母",
  "another script": "其他文字",
};

/** The sanitiser's own markers, by their English form. */
const MARKERS: readonly (readonly [RegExp, string])[] = [
  [/^(\d+) spaces?$/, "$1 个空格"],
  [/^(\d+) newlines?$/, "$1 个换行"],
  [/^(\d+) tabs?$/, "$1 个制表符"],
  [/^empty$/, "空文本"],
  [/^\+ ([\d,]+) more characters?$/, "还有 $1 个字符"],
  [/^\+ ([\d,]+) more$/, "还有 $1 项"],
  [/^hidden: (\d+) characters?/, "已隐藏：$1 个字符"],
  [/^hidden: (\d+) bytes?/, "已隐藏：$1 字节"],
];

export const zh: Words = {
  asks: (agent, person) => shown`${agent}（代 ${person}）请求`,
  through: (agents) => shown`经由 ${agents}`,
  until: (time) => shown`截止 ${time}`,
  act: (title) => shown`${title}？`,
  run: (tool) => shown`运行 ${tool}？`,
  risk: RISK,
  effect: (kind, count, _one, noun) => {
    const verb = Object.hasOwn(VERBS, kind) ? VERBS[kind] : undefined;
    // Money is its own measure.
    return shown`${verb ?? shown`${kind}：`} ${count}${kind === "spend" ? shown`` : shown` 项`}${/^[ -~]/.test(noun) ? shown` ` : shown``}${noun}`;
  },
  samples: (count) => shown`显示 ${count} 项`,
  beforeAfter: (before, after) => shown`之前：${before}，之后：${after}`,
  reason: (facts) => reasonIn(facts) ?? facts.text,
  notice,
  marker: (marker) => {
    const [pattern, words] = MARKERS.find(([english]) => english.test(marker)) ?? [];
    return pattern === undefined || words === undefined ? marker : marker.replace(pattern, words);
  },

  arguments: (values, bytes) => shown`参数（${values} 项，${bytes} 字节）`,
  effects: shown`将会发生`,
  targets: shown`涉及`,
  why: shown`为何询问`,
  undo: shown`如何撤销`,
  changedByPerson: shown`有人修改了`,
  changedSincePlan: shown`与先前计划的不同`,
  changedSinceShown: shown`与上次显示时相比，将会发生的事情已经改变`,
  alternatives: shown`也可以改为`,
  exactCall: shown`完整调用的 SHA-256`,
  agentSays: shown`智能体自述（未核实）`,
  quorum: (votes, needed, who) => shown`需 ${needed} 人同意，已有 ${votes} 人${who === "" ? who : shown`：${who}`}`,
  noArguments: shown`无`,
  emptyList: shown`⟨空列表⟩`,
  emptyObject: shown`⟨空对象⟩`,
  added: shown`新增`,
  removed: shown`移除`,
  wholeValue: shown`整个值`,

  askYes: shown`输入 y、yes、是 或 确认 表示同意，其他任何输入都表示拒绝：`,
  askFullYes: shown`请完整输入 yes 或 确认 表示同意，其他任何输入都表示拒绝：`,
  askCode: (code) => shown`此操作不可撤销。输入 ${code} 表示同意，其他任何输入都表示拒绝：`,
  askCountOrCode: (count, code) =>
    shown`此操作不可撤销。输入数量 ${count} 或 ${code} 表示同意，其他任何输入都表示拒绝：`,
  noTerminal: shown`此处不是终端，无人可以回答。已拒绝。`,
  noAnswer: shown`输入已结束，没有回答。已拒绝。`,
  approved: shown`已同意，正在执行…`,
  denied: shown`已拒绝，未执行。`,
  cancelled: shown`发起人已撤回，未执行。`,
  yes: ["y", "yes", "是", "确认"],
  fullYes: ["yes", "确认"],
};

function notice({ code, about, count = 0, fragment = shown``, really, scripts = [] }: TextNotice): Shown {
  const host = really === undefined ? shown`不是有效的名称` : shown`实际是 ${really}`;
  const named = scripts.map((name) => SCRIPTS[name] ?? name).join("＋") as Shown;
  const words = NOTICES[code]({ count, fragment, really: host, scripts: named });
  return about === "name" ? shown`名称中：${words}` : words;
}
