import fc from "fast-check";
import { expect } from "vitest";
import type { Cluster } from "./cluster.js";

type Target = "instance" | "two instances" | "database" | "everything";

/** How often each is struck. */
export type Blows = Readonly<Record<Target, number>>;

interface Blow {
  readonly target: Target;
  /** Which instance, or the first of them. */
  readonly who: number;
  /** After so many calls have ended. */
  readonly at: number;
}

/** What the instances stand on. */
export interface Databases {
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** By then it has to serve again. How long it really took is printed: what a loaded machine does is no verdict on that. */
const BACK_WITHIN = 30_000;
const READY_EVERY = 50;

/** What is killed, and when: at random, spread over the calls, and the same for the same seed. */
export function blowsFor(seed: number, instances: number, calls: number, blows: Blows): readonly Blow[] {
  const targets = Object.entries(blows).flatMap(([target, times]) => Array<Target>(times).fill(target as Target));
  const size = { minLength: targets.length, maxLength: targets.length };
  const [drawn] = fc.sample(
    fc.tuple(
      fc.shuffledSubarray(targets, size),
      fc.array(fc.record({ later: fc.double({ min: 0, max: 0.9, noNaN: true }), who: fc.nat(instances - 1) }), size),
    ),
    { seed, numRuns: 1 },
  );
  const [order = [], details = []] = drawn ?? [];
  return order.map((target, index) => {
    const { later = 0, who = 0 } = details[index] ?? {};
    return { target, who, at: Math.floor(((index + later) * calls) / targets.length) };
  });
}

/** Strikes, starts again what was struck, and waits until all serve again. Tells how long they were not all there. */
export async function strike(cluster: Cluster, databases: Databases, { target, who }: Blow): Promise<number> {
  const from = performance.now();
  const killed = victims(cluster, target, who);
  const below = target === "database" || target === "everything";
  await Promise.all([...killed.map((index) => cluster.kill(index)), ...(below ? [databases.crash()] : [])]);
  if (below) await databases.start();
  await Promise.all(killed.map((index) => cluster.restart(index)));
  await expect.poll(() => cluster.unready(), { timeout: BACK_WITHIN, interval: READY_EVERY }).toEqual([]);
  return performance.now() - from;
}

function victims({ size }: Cluster, target: Target, who: number): readonly number[] {
  if (target === "database") return [];
  if (target === "everything") return Array.from({ length: size }, (_, index) => index);
  return target === "two instances" ? [who, (who + 1) % size] : [who];
}
