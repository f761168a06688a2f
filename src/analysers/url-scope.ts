import { parseUrl } from "../core/parse-url.js";

/**
 * Whether a parsed URL's host is one of the scope's. A pattern is a host, `*.host` for every name below it but not itself, either
 * with `:port`; without one only the scheme's default port matches. A pattern of any other form matches nothing.
 */
export function inHosts(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((pattern) => matches(url, pattern));
}

const PATTERN = /^(?<wild>\*\.)?(?<name>[^\s/\\?#@*%:]+|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}))?$/i;

function matches(url: URL, pattern: string): boolean {
  const { wild, name = "", port = DEFAULT_PORTS[url.protocol] } = PATTERN.exec(pattern)?.groups ?? {};
  const hostname = canonical(name);
  // A scheme whose port nobody knows here is in no scope.
  if (hostname === undefined || port === undefined || portOf(url) !== port) return false;
  if (wild === undefined) return url.hostname === hostname;
  const labels = hostname.split(".");
  // "*.com" would be half of the internet. Nor has an address names below it: of version 6 it is one label, and of version 4 no
  // host that ends in it is longer.
  if (labels.length < 2) return false;
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
