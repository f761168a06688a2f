// How soon the inbox answers a finger, a key or an agent while a thousand questions wait: from the act until what it changes is
// painted, in a real browser against a real server on the same machine. Each act begins when the page rests from the one before,
// as a person's does. Goal: under 100 ms.
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { createGate, defineTool, memoryStore } from "../dist/index.js";
import { serve } from "../dist/server/index.js";
import { median, percentile, table } from "./lib/measure.mjs";

const PENDING = Number(process.env.BENCH_PENDING ?? 1_000);
const TIMES = Number(process.env.BENCH_TIMES ?? 40);
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const WEB = fileURLToPath(new URL("../dist/web", import.meta.url));

/**
 * In the page: `painted` is the moment at which the frame was handed over that first shows `look()` changed, and `acted` the moment of
 * the event, where one began it.
 */
const WATCH = `
  globalThis.now = () => performance.timeOrigin + performance.now();
  globalThis.watch = (look) => {
    const before = look();
    globalThis.acted = undefined;
    globalThis.painted = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error("Nothing changed: " + look)), 30_000);
      const atFrame = () => {
        if (look() === before) return requestAnimationFrame(atFrame);
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(now());
        port2.postMessage(undefined);
      };
      requestAnimationFrame(atFrame);
    });
  };
  for (const type of ["keydown", "click", "input", "change"]) {
    addEventListener(type, (event) => {
      globalThis.acted ??= performance.timeOrigin + event.timeStamp;
    }, { capture: true });
  }
`;
/** What an act changes on the screen. */
const QUESTION = `document.querySelector("article h2, [data-scroll] h2")?.textContent`;
const ROWS = `document.querySelector("li[aria-setsize]")?.ariaSetSize`;
const ARRIVED = `document.querySelector("button[aria-label^=Show]")?.ariaLabel`;
const STAMP = `document.querySelector(".stamp")?.textContent`;

const clear = defineTool({
  name: "tasks.clear",
  title: "Clear a list",
  effect: "write",
  destructive: true,
  confirmPrompt: { en: "Delete all tasks of {list}?", zh: "删除 {list} 中的所有任务？" },
  execute: () => ({ ok: true }),
});
const move = defineTool({
  name: "events.move",
  title: "Move an event",
  effect: "write",
  riskTier: "R2",
  confirm: true,
  confirmPrompt: { en: "Move {event} to tomorrow?", zh: "把 {event} 改到明天？" },
  execute: () => ({ ok: true }),
});
const gate = createGate({
  store: memoryStore(),
  tools: [clear, move],
  limits: { pendingPerUser: PENDING * 2, ttl: 3_600_000 },
});
const ask = (/** @type {number} */ n) =>
  n % 10 === 0
    ? gate.submit({ tool: "events.move", args: { event: `Event ${n}` } }, gate.caller)
    : gate.submit({ tool: "tasks.clear", args: { list: `List ${n}` } }, gate.caller);
for (let n = 1; n <= PENDING; n++) await ask(n);
const served = await serve(gate, { port: 0, web: WEB });
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
await page.addInitScript({ content: WATCH });
await page.goto(await served.signInLink());
await page.getByRole("link", { name: "Later" }).click();
const devtools = await page.context().newCDPSession(page);
await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
const rows = page.getByRole("region", { name: "What waits" }).getByRole("listitem").getByRole("link");
await rows.first().waitFor();

/** Waits until the page has nothing to do; the CPU that its main thread has used by then, in milliseconds. */
async function rest() {
  await page.evaluate("new Promise((resolve) => requestIdleCallback(resolve))");
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
}

/**
 * @param {string} look what changes, as an expression in the page
 * @param {(n: number) => Promise<unknown>} act
 * @param {(n: number) => Promise<unknown>} [before] what leads to it and is not measured
 */
async function measured(look, act, before = async () => undefined) {
  /** @type {number[]} */
  const took = [];
  /** @type {number[]} */
  const used = [];
  for (let n = 0; n < TIMES; n++) {
    await before(n);
    const rested = await rest();
    await page.evaluate(`watch(() => ${look})`);
    const started = performance.timeOrigin + performance.now();
    await act(n);
    const [acted, painted] = /** @type {[number | undefined, number]} */ (
      await page.evaluate("painted.then((at) => [globalThis.acted, at])")
    );
    took.push(painted - (acted ?? started));
    used.push((await rest()) - rested);
  }
  return { took, used };
}

const press = (/** @type {string} */ key) => () => page.keyboard.press(key);
const search = page.getByLabel("Search");
const tier = page.getByLabel("Risk", { exact: true });
const approve = page.locator("[role=group] button[aria-disabled=false]").last();
let asked = PENDING;
/** @type {[string, { took: number[], used: number[] }][]} */
const results = [
  ["next question by key (j)", await measured(QUESTION, press("j"))],
  [
    "previous question by key (k)",
    await measured(QUESTION, press("k"), (n) => page.keyboard.press(n === 0 ? "j" : "Shift")),
  ],
  ["open a question by click", await measured(QUESTION, (n) => rows.nth((n + 1) % 5).click())],
  [
    "one letter of a search",
    await measured(ROWS, press("7"), async (n) => {
      if (n % 3 === 0) await search.fill("");
      await search.focus();
    }),
  ],
  [
    "another tier",
    await measured(
      ROWS,
      (n) => tier.selectOption(n % 2 === 0 ? "Sensitive" : "Risk: all"),
      () => search.fill(""),
    ),
  ],
  ["an agent's call until it is told", await measured(ARRIVED, () => ask(++asked))],
  [
    "yes by key (a) until it is stamped",
    await measured(STAMP, press("a"), async (n) => {
      if (n === 0) await tier.selectOption("Sensitive");
      await search.blur();
      await page.keyboard.press("j");
      await approve.waitFor();
    }),
  ],
];
const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
console.log(`${PENDING} questions wait.\n`);
console.log(
  table([
    ["until it is painted", "p50", "p95", "max", "CPU of the page, p50"],
    ...results.map(([name, { took, used }]) => [
      name,
      ms(median(took)),
      ms(percentile(took, 0.95)),
      ms(Math.max(...took)),
      ms(median(used)),
    ]),
  ]),
);
await browser.close();
await served.close();
