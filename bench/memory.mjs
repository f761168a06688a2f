// Whether the server's memory stays flat: steady load for ten minutes, from another process. Each second a number of cycles, one list,
// one page of history, one event poll, and one device that goes and another that comes. What is held is asked after a collection.
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { asAgent, asPerson, cycle, openSocket, send, startServer } from "./lib/http.mjs";
import { inTempFolder, table } from "./lib/measure.mjs";

const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
const RATE = Number(process.env.BENCH_RATE ?? 20);
const PEOPLE = Number(process.env.BENCH_PEOPLE ?? 50);
const SAMPLE = 15_000;
/** Caches fill, code is compiled: what is held before this says nothing about later. */
const WARM_UP = Math.min(60_000, (MINUTES * 60_000) / 4);
const MB = 1_048_576;

/** @typedef {{ minute: number, rss: number, heap: number, outside: number }} Sample */

/** What the process holds, in MB. @returns {Promise<Sample>} */
async function sample(/** @type {import("node:child_process").ChildProcess} */ child, /** @type {number} */ began) {
  child.send("memory");
  const [{ rss, heapUsed, external }] = await once(child, "message");
  return { minute: (performance.now() - began) / 60_000, rss: rss / MB, heap: heapUsed / MB, outside: external / MB };
}

/** Least squares: MB a minute. @param {Sample[]} samples @param {"rss" | "heap" | "outside"} what */
function slope(samples, what) {
  const mean = (/** @type {number[]} */ values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ minute }) => minute)), mean(samples.map((each) => each[what]))];
  const over = samples.reduce((sum, each) => sum + (each.minute - x) * (each[what] - y), 0);
  return over / samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}

await inTempFolder(async (folder) => {
  const { server, child } = await startServer(folder, PEOPLE);
  /** @type {Sample[]} */
  const samples = [];
  /** @type {import("ws").WebSocket[]} */
  const devices = [];
  let [cycles, problems] = [0, 0];
  try {
    for (const { cookie } of server.people) devices.push(await openSocket(server, cookie));
    const began = performance.now();
    const over = () => performance.now() - began > MINUTES * 60_000;
    const load = async () => {
      for (let second = 0; !over(); second++) {
        const { cookie, apiKey } = server.people[second % PEOPLE] ?? { cookie: "", apiKey: "" };
        const person = asPerson(server, cookie);
        const work = Array.from({ length: RATE }, () => cycle(server, cycles++));
        work.push(send(server, person, "GET", "/v1/approvals"), send(server, person, "GET", "/v1/history?limit=20"));
        work.push(send(server, asAgent(apiKey), "GET", "/v1/events/poll"));
        devices.shift()?.terminate();
        work.push(openSocket(server, cookie).then((socket) => void devices.push(socket)));
        for (const done of await Promise.allSettled(work)) if (done.status === "rejected") problems++;
        await setTimeout(Math.max(0, began + (second + 1) * 1_000 - performance.now()));
      }
    };
    const watch = async () => {
      while (!over()) {
        await setTimeout(SAMPLE);
        const held = await sample(child, began);
        samples.push(held);
        console.error(`${held.minute.toFixed(2)} min: RSS ${held.rss.toFixed(1)} MB, heap ${held.heap.toFixed(1)} MB`);
      }
    };
    await Promise.all([load(), watch()]);
    const steady = samples.filter(({ minute }) => minute * 60_000 >= WARM_UP);
    const [first, last] = [steady[0], steady.at(-1)];
    const row = (/** @type {string} */ name, /** @type {"rss" | "heap" | "outside"} */ what) => [
      name,
      `${first?.[what].toFixed(1)} MB`,
      `${last?.[what].toFixed(1)} MB`,
      `${Math.max(...steady.map((each) => each[what])).toFixed(1)} MB`,
      `${slope(steady, what).toFixed(2)} MB/min`,
    ];
    console.log(`${cycles} cycles in ${MINUTES} minutes, ${devices.length} devices, ${problems} requests failed`);
    console.log(
      table([
        [
          "after a collection",
          `minute ${first?.minute.toFixed(0)}`,
          `minute ${last?.minute.toFixed(0)}`,
          "most",
          "slope",
        ],
        row("heap in use", "heap"),
        row("outside the heap", "outside"),
        row("RSS", "rss"),
      ]),
    );
  } finally {
    for (const device of devices) device.terminate();
    child.kill("SIGKILL");
  }
});
