// How soon the inbox answers a finger or a key while a thousand questions wait: from the event until the page is painted, in a
// real browser against a real server on the same machine. Goal: under 100 ms.
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createGate, defineTool, memoryStore } from "../dist/index.js";
import { serve } from "../dist/server/index.js";
import { median, percentile, table } from "./lib/measure.mjs";

const PENDING = Number(process.env.BENCH_PENDING ?? 1_000);
const TIMES = Number(process.env.BENCH_TIMES ?? 40);
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const WEB = fileURLToPath(new URL("../dist/web", import.meta.url));

/** In the page: what each event took until the frame that shows its effect was handed over. */
const WATCH = `
  globalThis.took = [];
  for (const type of ["keydown", "click", "input"]) {
    addEventListener(type, (event) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => globalThis.took.push([type, performance.now() - event.timeStamp]);
      port2.postMessage(undefined);
    }), { capture: true });
  }
`;

const clear = defineTool({
  name: "tasks.clear",
  title: "Clear a list",
  effect: "write",
  destructive: true,
  confirmPrompt: { en: "Delete all tasks of {list}?", zh: "删除 {list} 中的所有任务？" },
  execute: () => ({ ok: true }),
});
const gate = createGate({
  store: memoryStore(),
  tools: [clear],
  limits: { pendingPerUser: PENDING * 2, ttl: 3_600_000 },
});
for (let n = 1; n <= PENDING; n++) await gate.submit({ tool: "tasks.clear", args: { list: `List ${n}` } }, gate.caller);
const served = await serve(gate, { port: 0, web: WEB });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
await page.addInitScript({ content: WATCH });
await page.goto(await served.signInLink());
await page.getByRole("link", { name: "Later" }).click();
const rows = page.getByRole("region", { name: "What waits" }).getByRole("listitem").getByRole("link");
await rows.first().waitFor();

/** @param {string} type @param {(n: number) => Promise<void>} act @returns {Promise<number[]>} */
async function measured(type, act) {
  await page.evaluate("globalThis.took.length = 0");
  for (let n = 0; n < TIMES; n++) await act(n);
  const took = /** @type {[string, number][]} */ (await page.evaluate("globalThis.took"));
  return took.filter(([is]) => is === type).map(([, milliseconds]) => milliseconds);
}

/** @type {[string, number[]][]} */
const results = [
  ["next question by key (j)", await measured("keydown", () => page.keyboard.press("j"))],
  ["open a question by click", await measured("click", (n) => rows.nth(n % 5).click())],
  [
    "one letter of a search",
    await measured("input", async (n) => {
      if (n % 8 === 0) await page.getByLabel("Search").fill("");
      await page.getByLabel("Search").press("List 777"[n % 8] ?? "7");
    }),
  ],
];
const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
console.log(`${PENDING} questions wait.\n`);
console.log(
  table([
    ["until it is painted", "p50", "p95", "max", "of"],
    ...results.map(([name, took]) => [
      name,
      ms(median(took)),
      ms(percentile(took, 0.95)),
      ms(Math.max(...took)),
      String(took.length),
    ]),
  ]),
);
await browser.close();
await served.close();
