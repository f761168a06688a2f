// Programs and fonts that tests drive and npm cannot install. Debian's names; elsewhere they are installed by hand.
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Problem, run } from "./process.mjs";

/** The proof of presence: a program on the PATH, or a file whose path may have one folder of any name. */
const SYSTEM_PACKAGES = /** @type {const} */ ([
  { name: "tmux", proof: "tmux" },
  { name: "postgresql", proof: "/usr/lib/postgresql/*/bin/initdb" },
  { name: "redis-server", proof: "redis-server" },
  { name: "chromium", proof: "chromium" },
  { name: "python3", proof: "python3" },
  { name: "curl", proof: "curl" },
  { name: "fonts-noto-cjk", proof: "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc" },
]);

/** @typedef {(typeof SYSTEM_PACKAGES)[number]["name"]} SystemPackage */
/** @typedef {{ isRoot: boolean, hasAptGet: boolean, isCi: boolean, required?: boolean }} Machine */

/**
 * Installs those that are missing where that is possible. Elsewhere it says what to do: on a developer's machine the
 * tests that need them skip with that reason, in CI nothing may skip. What is required stops with it everywhere.
 * @param {readonly SystemPackage[]} needed
 * @param {(line: string) => void} say
 * @returns {Promise<string>} what was done
 */
export async function installSystemPackages(needed, say, { required = false } = {}) {
  const missing = missingOf(needed);
  if (missing.length === 0) return `${needed.join(", ")} present`;
  const machine = {
    isRoot: process.getuid?.() === 0,
    hasAptGet: isOnPath("apt-get"),
    isCi: isCi(process.env["CI"]),
    required,
  };
  if (machine.isRoot && machine.hasAptGet) {
    say(`installing ${missing.join(", ")} (apt-get)`);
    const trouble = await aptInstall(missing);
    if (missingOf(missing).length === 0) return `installed ${missing.join(", ")}`;
    say(trouble);
  }
  const advice = adviceFor(missingOf(missing), machine);
  if (machine.isCi || required) throw new Problem(advice);
  return advice;
}

/** @param {readonly string[]} missing @param {Machine} machine */
export function adviceFor(missing, machine) {
  const names = missing.join(", ");
  const command = machine.hasAptGet
    ? `Run "${machine.isRoot ? "" : "sudo "}apt-get install ${missing.join(" ")}".`
    : "Install it with the package manager of this system.";
  return `${names} missing. ${command} ${consequenceFor(machine)}`;
}

function consequenceFor(/** @type {Machine} */ { isCi, required }) {
  if (required) return "This cannot run without it.";
  return isCi ? "In CI no test may be skipped." : "The tests that need this are skipped.";
}

/** Some systems set CI to say that this is none. */
export const isCi = (/** @type {string | undefined} */ value) => !["", "0", "false", undefined].includes(value);

/** @param {readonly string[]} names */
async function aptInstall(names) {
  const apt = ["apt-get", "-y", "-o", "DPkg::Lock::Timeout=300"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const update = await run([...apt, "update"], env);
  const install = await run([...apt, "install", "--no-install-recommends", ...names], env);
  return install.ok ? "" : `${update.ok ? "" : update.output}${install.output}`.trim();
}

/** @param {readonly string[]} names */
function missingOf(names) {
  return SYSTEM_PACKAGES.filter(({ name, proof }) => names.includes(name) && !isPresent(proof)).map(({ name }) => name);
}

export function isPresent(/** @type {string} */ proof) {
  if (!proof.startsWith("/")) return isOnPath(proof);
  const [before = "", after] = proof.split("/*");
  if (after === undefined) return existsSync(proof);
  return existsSync(before) && readdirSync(before).some((folder) => existsSync(join(before, folder, after)));
}

function isOnPath(/** @type {string} */ program) {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}
