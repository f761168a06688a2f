// Which programs that npm cannot install the benchmarks start.

/** @type {Readonly<Record<string, readonly import("./system-packages.mjs").SystemPackage[]>>} */
const NEEDS = {
  postgres: ["postgresql"],
  redis: ["redis-server"],
  scaling: ["postgresql", "redis-server"],
  web: ["chromium"],
};

/**
 * What the named benchmarks need together.
 * @param {readonly string[]} names
 * @param {Readonly<NodeJS.ProcessEnv>} env
 */
export function benchNeeds(names, env) {
  const all = new Set(names.flatMap((name) => (Object.hasOwn(NEEDS, name) ? (NEEDS[name] ?? []) : [])));
  // Whoever names a browser has one.
  if (env["CHROMIUM"] !== undefined) all.delete("chromium");
  return [...all];
}
