import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Finding, RiskTier } from "../core/risk.js";
import { escapeText } from "../core/text/escape.js";
import { shown } from "../core/text/shown.js";
import { wordsIn } from "../core/words/words.js";
import { analysePath } from "./path.js";
import { analyseUrl } from "./url.js";

const sentences = ["shell/cases", "sql/data"]
  .map((folder) => readFileSync(new URL(`./${folder}/sentences.txt`, import.meta.url), "utf8"))
  .flatMap((file) => file.trimEnd().split("\n"));

it("says in Chinese whatever the shell and SQL analysers say in English", () => {
  expect(sentences.length).toBeGreaterThan(100);
  for (const sentence of sentences) {
    const [, riskTier, code = ""] = /^(R\d) (\w+): /.exec(sentence) ?? [];
    const said = wordsIn("zh").reason({ code, riskTier: riskTier as RiskTier, text: shown`English` });
    expect(said, sentence).toMatch(/\p{Script=Han}.*。$/u);
  }
});

function inChinese({ code, riskTier, text }: Finding): string {
  return wordsIn("zh").reason({ code, riskTier, text: escapeText(text) });
}

it.each([
  [
    "https://[::ffff:7f00:1]:99/",
    "地址中含有 IPv4 地址 127.0.0.1。主机 127.0.0.1 是本机。端口 99 不是网页常用的端口。",
  ],
  ["https://0x7f.1/", "主机是 127.0.0.1 的一种异常写法。主机 127.0.0.1 是本机。"],
  ["https://169.254.169.254/", "主机 169.254.169.254 是云平台自身的元数据服务。"],
  ["https://169.254.0.1/", "主机 169.254.0.1 是链路本地网络。"],
  ["https://10.0.0.1/", "主机 10.0.0.1 是内部网络。"],
  ["https://224.0.0.1/", "主机 224.0.0.1 是一组机器。"],
  ["https://10.0.0.1.nip.io/", "主机 10.0.0.1.nip.io 是写在名称中的地址。"],
  ["https://8.8.8.8/", "主机是没有名称的地址。"],
  ["https://bank.test@evil.test/", "@ 之前的不是主机：实际通向 evil.test。"],
  ["https://müller.test/", "主机 müller.test 对机器而言是 xn--mller-kva.test。"],
  ["https://аррӏе.test/", "主机 аррӏе.test（xn--80ak6aa92e.test）可能被误认为别的主机。"],
  ["javascript:alert(1)", "javascript: 网址自带内容或代码。"],
  ["file:///etc/hosts", "file: 网址会读取本机或共享的位置。"],
  ["mailto:a@b.test", "mailto: 网址会启动别的程序或协议。"],
  ["https:\\\\a.test ", /空白或控制字符.*反斜杠.*两条斜杠/],
  ["https://a.test./", "名称末尾的点或空格，有的系统会忽略，有的不会。"],
  ["nonsense", "无法解析。"],
])("says in Chinese what is odd about %s, and names where it leads", (url, chinese) => {
  expect(analyseUrl(url).findings.map(inChinese).join("")).toMatch(chinese);
});

it("says in Chinese which host is out of scope", () => {
  const outside = (url: string) => inChinese(analyseUrl(url, { hosts: ["a.test"] }).findings.at(-1) as Finding);
  expect(outside("https://b.test/")).toBe("主机 b.test 在范围之外。");
  expect(outside("mailto:x@a.test")).toBe("网址的主机在范围之外。");
});

it.each([
  "",
  "a",
  "/a\0b",
  "/\ud800",
  "~/a",
  "//host/a",
  "/a%2e",
  "/a\u0001",
  "/a\u200b",
  "/a\\b",
  "/c:",
  "/a.",
  "/nul",
  "/cafe\u0301",
  "/\uff41",
  `/${"a".repeat(5_000)}`,
  "/a/.ssh",
  "/a/.env",
  "/etc/shadow",
  "/a/.netrc",
  "/a/.git/config",
  "/a/.bashrc",
  "/a/.claude",
  "/a/.countersign",
])("says in Chinese what is odd about the path %j", async (path) => {
  const { findings } = await analysePath(path, { roots: ["/"] });
  expect(findings).not.toEqual([]);
  for (const finding of findings) expect(inChinese(finding), finding.text).toMatch(/\p{Script=Han}.*。$/u);
});

it.each<[string, string, string]>([
  ["path_outside", "The path leads to /etc/hosts, outside of the scope.", "路径通向 /etc/hosts，在范围之外。"],
  [
    "name_alias",
    "The path leads to /Work/a, which is in scope only if case and accents do not count.",
    "路径通向 /Work/a，不计大小写和重音才在范围之内。",
  ],
  [
    "ambiguous_dots",
    "The path leads to /a or to /b, depending on who reads it.",
    "路径通向 /a 或 /b，取决于由谁读取。",
  ],
  ["link_loop", "Links on the path lead in a circle.", "路径上的链接绕成了圈。"],
  [
    "magic_link",
    "The path goes through a link whose target depends on who follows it.",
    "路径经过一个链接，其目标取决于由谁打开。",
  ],
  ["not_followed", "A part of the path could not be looked at.", "路径的一部分无法查看。"],
  [
    "target_outside",
    "The call would touch a path, outside of what this session works on.",
    "该调用会触及本次会话范围之外的对象。",
  ],
  [
    "denied_before",
    "People denied 2 calls of this tool in this session a short while ago.",
    "不久前在本次会话中，该工具的 2 次调用被拒绝。",
  ],
  ["cost_threshold", "The cost is 20; above 10 a person is asked.", "费用为 20，超过 10 须经人确认。"],
  [
    "rows_threshold",
    "The number of things touched is 20; above 10 a person is asked.",
    "涉及 20 项，超过 10 须经人确认。",
  ],
  [
    "bytes_threshold",
    "The size of the output in bytes is 20; above 10 a person is asked.",
    "输出为 20 字节，超过 10 须经人确认。",
  ],
  ["budget_exhausted", 'The budget "day" of 5 calls per user is used up.', "预算“day”已用完。"],
  ["budget_exhausted", 'Nobody can tell how much this takes of the budget "day".', "无从得知这会占用预算“day”多少。"],
  ["path_outside", "A sentence of another kind.", "A sentence of another kind."],
  ["constructor", "A code of another kind.", "A code of another kind."],
])("says of %s in Chinese what it says in English", (code, text, chinese) => {
  expect(inChinese({ code, riskTier: "R3", text })).toBe(chinese);
});
