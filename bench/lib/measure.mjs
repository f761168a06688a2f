import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** @param {number[]} values @param {number} share of them that lie at or below it */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Runs `task` with a number of them in flight for about this long.
 * @param {(n: number) => unknown} task
 * @param {number} inFlight
 * @param {number} milliseconds
 * @returns {Promise<{ perSecond: number, count: number }>}
 */
export async function throughput(task, inFlight, milliseconds) {
  let count = 0;
  const start = performance.now();
  const lane = async () => {
    while (performance.now() - start < milliseconds) await task(count++);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { perSecond: (count / (performance.now() - start)) * 1_000, count };
}

/**
 * Runs it until its code is compiled, as that of a long-running process is: with many in flight, and then as it is measured.
 * What writes a lone change is not what writes a group.
 * @param {(n: number) => unknown} task
 * @param {number} inFlight
 * @param {number} milliseconds
 * @returns {Promise<number>} how often it ran
 */
export async function warmUp(task, inFlight, milliseconds) {
  const many = await throughput(task, 32, milliseconds);
  const own = await throughput(task, inFlight, milliseconds);
  return many.count + own.count;
}

/**
 * The same, with the time that all but one in a hundred took at most, and what each cost this process.
 * @param {(n: number) => Promise<void>} task
 * @param {number} inFlight
 * @param {number} span
 */
export async function timed(task, inFlight, span) {
  /** @type {number[]} */
  const times = [];
  const used = process.cpuUsage();
  const { perSecond, count } = await throughput(
    async (n) => {
      const start = performance.now();
      await task(n);
      times.push(performance.now() - start);
    },
    inFlight,
    span,
  );
  const { user, system } = process.cpuUsage(used);
  return { perSecond, count, p99: percentile(times, 0.99), cpu: (user + system) / count };
}

/** @template T @param {(folder: string) => Promise<T>} run @returns {Promise<T>} */
export async function inTempFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string[][]} rows @returns {string} a Markdown table; the first row is the head */
export function table(rows) {
  const [head = [], ...body] = rows;
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}
