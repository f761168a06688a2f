import { type AnyTool, defineTool } from "countersign";
import { z } from "zod";
import { guardedFetch, type WebOptions } from "../web/guarded-fetch.js";
import { pageText, transcriptText } from "../web/page-text.js";

export interface WebProviders extends WebOptions {
  /** Where to search, with `{query}` in it; it answers JSON like SearXNG: `{ results: [{ title, url, content }] }`. */
  readonly searchUrl?: string;
  /** Where captions come from, with `{url}` in it; it answers WebVTT or SRT. Without one only caption files are read. */
  readonly transcriptUrl?: string;
}

const found = z.object({
  results: z.array(z.object({ title: z.string(), url: z.string(), content: z.string().default("") })),
});
const MOST_RESULTS = 10;
const LONGEST_TEXT = 50_000;
const url = z.string().min(1).max(2_000).meta({ format: "url" });

/** Looks at the web and never writes to it. */
export function webTools(providers: WebProviders): readonly AnyTool[] {
  return [
    defineTool({
      name: "web.search",
      title: { en: "Search the web", zh: "搜索网页" },
      effect: "read",
      confirm: false,
      inputSchema: z.object({ query: z.string().trim().min(1).max(500) }).strict(),
      execute: async ({ query }) => {
        if (providers.searchUrl === undefined) throw new Error("No search engine is set up. Set `web.searchUrl`.");
        const page = await fetchOk(providers.searchUrl.replace("{query}", encodeURIComponent(query)), providers);
        return { results: found.parse(JSON.parse(page.text)).results.slice(0, MOST_RESULTS) };
      },
    }),
    defineTool({
      name: "web.fetch",
      title: { en: "Read a page", zh: "读取网页" },
      effect: "read",
      confirm: false,
      inputSchema: z.object({ url }).strict(),
      execute: async ({ url: address }) => {
        const page = await fetchOk(address, providers);
        const text = /html/i.test(page.contentType) ? pageText(page.text) : page.text;
        return { url: page.url, text: text.slice(0, LONGEST_TEXT), cut: page.cut || text.length > LONGEST_TEXT };
      },
    }),
    defineTool({
      name: "web.transcript",
      title: { en: "Read a transcript", zh: "读取字幕" },
      effect: "read",
      confirm: false,
      inputSchema: z.object({ url }).strict(),
      execute: async ({ url: address }) => {
        const source = providers.transcriptUrl?.replace("{url}", encodeURIComponent(address)) ?? address;
        const captions = await fetchOk(source, providers);
        const text = transcriptText(captions.text);
        return { url: address, text: text.slice(0, LONGEST_TEXT), cut: captions.cut || text.length > LONGEST_TEXT };
      },
    }),
  ];
}

async function fetchOk(address: string, options: WebOptions) {
  const page = await guardedFetch(address, options);
  if (page.status < 200 || page.status > 299) throw new Error(`The page answered with status ${page.status}.`);
  return page;
}
