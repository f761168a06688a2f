import { parseUrl } from "../core/parse-url.js";

/**
 * Whether a parsed URL's host is one of the scope's. A pattern is a host, `*.host` for every name below it but not itself, either
 * with `:port`; without one only the scheme's default port matches. A pattern of any other form matches nothing.
 */
export function inHosts(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((pattern) => matches(url, pattern));
}

function matches(url: URL, pattern: string): boolean {
  const [, wild, name = "", port] = /^(\*\.)?([^\s/\\?#@*%:]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(pattern) ?? [];
  const hostname = canonical(name);
  if (hostname === undefined || portOf(url) !== (port ?? DEFAULT_PORTS[url.protocol])) return false;
  if (wild === undefined) return url.hostname === hostname;
  const labels = hostname.split(".");
  // "*.com" would be half of the internet, and an address has no names below it.
  if (labels.length < 2 || /^[\d.]+$|^\[/.test(hostname)) return false;
  const own = url.hostname.split(".");
  return (
    own.length > labels.length && labels.every((label, index) => own[own.length - labels.length + index] === label)
  );
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "ws:": "80", "https:": "443", "wss:": "443" };

function portOf(url: URL): string | undefined {
  return url.port === "" ? DEFAULT_PORTS[url.protocol] : url.port;
}

/** A pattern's host goes through the same parser as the URL's, so that both are spelt alike. */
function canonical(name: string): string | undefined {
  if (name === "" || name.startsWith(".") || name.endsWith(".")) return undefined;
  return parseUrl(`http://${name}`)?.hostname;
}
