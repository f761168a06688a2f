import { type Shown, shown } from "../text/shown.js";

/** What the analysers of paths and URLs find, where all that matters stands in the argument itself. */
const PLAIN: Readonly<Record<string, Shown>> = {
  // how a path or an address is written
  no_path: shown`没有给出路径。`,
  nul: shown`含有 NUL 字符：有的程序读到这里就停止。`,
  half_character: shown`含有半个字符。`,
  home_shorthand: shown`开头的波浪号对有的程序是主目录，对有的只是普通名称。`,
  network_path: shown`开头的两条斜杠可能指向另一台机器。`,
  encoded: shown`路径经过百分号编码，解码后是另一条路径。`,
  control_character: shown`路径含有控制字符。`,
  invisible_character: shown`路径含有不可见的字符，有的磁盘会忽略它们。`,
  backslash: shown`反斜杠在有的程序中是分隔符，在有的程序中不是。`,
  colon: shown`冒号可能表示盘符、地址或文件的隐藏数据流。`,
  trailing_dot: shown`名称末尾的点或空格，有的系统会忽略，有的不会。`,
  device_name: shown`这在 Windows 上是设备的名称。`,
  not_normalized: shown`同一个名称还可以用别的码位写成。`,
  compatibility_character: shown`路径中有字符可能被读作普通的字母、点或斜杠。`,
  stripped_characters: shown`网址含有解析时会被丢弃的空白或控制字符。`,
  odd_slashes: shown`网址的主机之前不是恰好两条斜杠。`,
  // where it leads
  no_base: shown`路径是相对的，却没有说明从哪里算起。`,
  link_loop: shown`路径上的链接绕成了圈。`,
  magic_link: shown`路径经过一个链接，其目标取决于由谁打开。`,
  not_followed: shown`路径的一部分无法查看。`,
  secret_keys: shown`路径通向存放私钥的位置。`,
  secret_environment: shown`路径通向存放环境机密的位置。`,
  secret_accounts: shown`路径通向存放系统账户数据的位置。`,
  secret_credentials: shown`路径通向存放凭据的位置。`,
  git_internals: shown`路径通向会让 git 运行程序的位置。`,
  start_files: shown`路径通向 shell 或系统启动时会运行的位置。`,
  agent_settings: shown`路径通向规定智能体或编辑器可以运行什么的位置。`,
  own_guard: shown`路径通向属于 Countersign 自身的位置。`,
  file_scheme: shown`file: 网址会读取本机或共享的位置。`,
  bare_address: shown`主机是没有名称的地址。`,
  target_outside: shown`该调用会触及本次会话范围之外的对象。`,
};

/** What an address is that is not on the public internet. */
const SPECIAL: Readonly<Record<string, Shown>> = {
  "the cloud's own metadata service": shown`云平台自身的元数据服务`,
  "this machine": shown`本机`,
  "a link-local network": shown`链路本地网络`,
  "a private network": shown`内部网络`,
  "a group of machines": shown`一组机器`,
  "an address written inside a name": shown`写在名称中的地址`,
};

type Told = readonly [english: RegExp, chinese: (first: Shown, second: Shown) => Shown];

/**
 * Findings about something that is no part of the argument, such as where a link leads. Only the English sentence is kept with
 * the call, so its words are found there.
 */
const TOLD: Readonly<Record<string, Told>> = {
  ambiguous_dots: [
    /^The path leads to (.+) or to (.+), depending/s,
    (one, other) => shown`路径通向 ${one} 或 ${other}，取决于由谁读取。`,
  ],
  name_alias: [/^The path leads to (.+), which is/s, (real) => shown`路径通向 ${real}，不计大小写和重音才在范围之内。`],
  path_outside: [/^The path leads to (.+), outside/s, (real) => shown`路径通向 ${real}，在范围之外。`],
  host_outside: [
    /^The host (.+) is outside/s,
    (host) => (host === "of this URL" ? shown`网址的主机在范围之外。` : shown`主机 ${host} 在范围之外。`),
  ],
  code_scheme: [/^A (.+) URL/s, (scheme) => shown`${scheme} 网址自带内容或代码。`],
  other_scheme: [/^A (.+) URL/s, (scheme) => shown`${scheme} 网址会启动别的程序或协议。`],
  userinfo: [/this leads to (.+)\.$/s, (host) => shown`@ 之前的不是主机：实际通向 ${host}。`],
  rewritten_host: [/spelling of (.+)\.$/s, (host) => shown`主机是 ${host} 的一种异常写法。`],
  lookalike_host: [
    /^The host (.+) \((.+)\) can be/s,
    (seen, host) => shown`主机 ${seen}（${host}）可能被误认为别的主机。`,
  ],
  international_host: [
    /^The host (.+) is (.+) to machines/s,
    (seen, host) => shown`主机 ${seen} 对机器而言是 ${host}。`,
  ],
  embedded_address: [/IPv4 address (.+)\.$/s, (address) => shown`地址中含有 IPv4 地址 ${address}。`],
  special_address: [
    /^The host (\S+) is (.+)\.$/s,
    (host, what) => shown`主机 ${host} 是${Object.hasOwn(SPECIAL, what) ? (SPECIAL[what] ?? what) : what}。`,
  ],
  port: [/^Port (\d+)/, (port) => shown`端口 ${port} 不是网页常用的端口。`],
  // what the rules count
  budget_exhausted: [
    /^(.*?)the budget "(.+)"/is,
    (before, id) => (before === "" ? shown`预算“${id}”已用完。` : shown`无从得知这会占用预算“${id}”多少。`),
  ],
  denied_before: [/^People denied (\d+)/, (count) => shown`不久前在本次会话中，该工具的 ${count} 次调用被拒绝。`],
  cost_threshold: [
    / is (.+); above (.+) a person/,
    (amount, limit) => shown`费用为 ${amount}，超过 ${limit} 须经人确认。`,
  ],
  rows_threshold: [
    / is (.+); above (.+) a person/,
    (amount, limit) => shown`涉及 ${amount} 项，超过 ${limit} 须经人确认。`,
  ],
  bytes_threshold: [
    / is (.+); above (.+) a person/,
    (amount, limit) => shown`输出为 ${amount} 字节，超过 ${limit} 须经人确认。`,
  ],
};

/** The Chinese sentence for such a finding; undefined for any other, and for one whose English sentence reads otherwise. */
export function placeFinding(code: string, english: Shown): Shown | undefined {
  if (Object.hasOwn(PLAIN, code)) return PLAIN[code];
  const [pattern, chinese] = (Object.hasOwn(TOLD, code) ? TOLD[code] : undefined) ?? [];
  // Parts of a text that may be shown may be shown too.
  const [, first = "", second = ""] = pattern?.exec(english) ?? [];
  return first === "" && second === "" ? undefined : chinese?.(first as Shown, second as Shown);
}
