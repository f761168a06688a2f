import { orderOf } from "../language/speech.js";
import { cleanTitle } from "../language/text.js";
import { type Agent, type Plan, STATED } from "./agent.js";

const TRANSCRIPT =
  /^(?:get |show |read |fetch )?(?:me )?(?:the |a )?transcript (?:of|for|from)\s+(?<url>https?:\/\/\S+)|^(?:获取|查看)?\s*(?<urlZh>https?:\/\/\S+)\s*的(?:字幕|文字稿)/i;
const FETCH =
  /^(?:fetch|open|read|load|get|visit|summari[sz]e|打开|读取|访问|抓取)\s+(?:the page |the website |网页)?(?<url>https?:\/\/\S+)/i;
const SEARCH =
  /^(?:search(?: the web| online| the internet)?(?: for)?|google|look up|find online)\s+(?<query>.+)$|^(?:(?:在网上|上网)?搜索|搜一下|网上查)(?:一下)?[:,，\s]*(?<queryZh>.+)$/is;

export const webAgent: Agent = {
  domain: "web",
  plan({ text }) {
    const order = orderOf(text);
    const { url, urlZh } = TRANSCRIPT.exec(order)?.groups ?? {};
    const spoken = url ?? urlZh;
    if (spoken !== undefined) return call("web.transcript", { url: spoken });
    const page = FETCH.exec(order)?.groups?.["url"];
    if (page !== undefined) return call("web.fetch", { url: page });
    const { query, queryZh } = SEARCH.exec(order)?.groups ?? {};
    const wanted = query ?? queryZh;
    return wanted === undefined ? undefined : call("web.search", { query: cleanTitle(wanted) });
  },
};

function call(tool: string, args: { readonly [key: string]: string }): Plan {
  return { type: "call", domain: "web", tool, args, confidence: STATED };
}
