import { CountersignError } from "../../core/errors.js";

/** Names that always mean this machine. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** By their names, in lower case and without a port. */
export type Hosts = ReadonlySet<string>;

export function hostsOf(origins: readonly string[], allowed: readonly string[] = []): Hosts {
  return new Set([...origins.map((origin) => new URL(origin).hostname), ...allowed.map((name) => name.toLowerCase())]);
}

/**
 * A page can let its own name lead to this machine (DNS rebinding) and is then of the same origin as we are, in its browser's
 * eyes. What it cannot do is send another name than its own, so only ours are answered. The port does not matter: a tunnel has
 * another one, and no page gets a foreign name by choosing a port.
 */
export function isOwnHost(hosts: Hosts, authority: string): boolean {
  const name = authority.replace(/:\d*$/, "").toLowerCase();
  return LOOPBACK.test(name) || hosts.has(name);
}

export function wrongHost(): CountersignError {
  return new CountersignError(
    "wrong_host",
    "This server does not answer to that host name. If it should, name it in allowedHosts.",
    { path: "host" },
  );
}

/** The host a request was sent to, as its line and its Host header say it; no other header is asked. */
export function authorityOf(url: string): string {
  const start = url.indexOf("://") + 3;
  const end = url.indexOf("/", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}
