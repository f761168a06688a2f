import { lookup } from "node:dns/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { analyseUrl } from "countersign/analysers";

export interface WebOptions {
  /** Hosts with their port that may be reached although they are not public, such as a search engine at home. */
  readonly trustedHosts?: readonly string[];
  readonly timeout?: number;
  readonly maxBytes?: number;
}

export interface Fetched {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Whether there was more than is kept. */
  readonly cut: boolean;
}

const MAX_REDIRECTS = 5;
const TIMEOUT = 10_000;
const MAX_BYTES = 1_000_000;

/**
 * Fetches a public page. Names are resolved here, every address is judged, and the connection goes to the address that was judged,
 * so that a name cannot lead elsewhere a moment later. Each redirect passes the same gate. Never sends credentials.
 */
export async function guardedFetch(address: string, options: WebOptions = {}): Promise<Fetched> {
  const deadline = AbortSignal.timeout(options.timeout ?? TIMEOUT);
  let next = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const { url, ip } = await checked(next, options);
    const response = await open(url, ip, deadline);
    const location = response.headers.location;
    if (location === undefined || ![301, 302, 303, 307, 308].includes(response.statusCode ?? 0)) {
      const { text, cut } = await read(response, options.maxBytes ?? MAX_BYTES);
      const contentType = response.headers["content-type"] ?? "";
      return { url: url.href, status: response.statusCode ?? 0, contentType, text, cut };
    }
    response.destroy();
    next = new URL(location, url).href;
  }
  throw new Error("The page redirects too often.");
}

/** The URL as its parser reads it, and the one address it may be fetched from. */
async function checked(
  address: string,
  { trustedHosts = [] }: WebOptions,
): Promise<{ readonly url: URL; readonly ip: string }> {
  const { url: judged, findings, inspectable } = analyseUrl(address);
  if (judged === undefined || !inspectable) throw refused("this is not a URL");
  const url = new URL(judged);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw refused(`${url.protocol} is not the web`);
  if (url.username !== "" || url.password !== "") throw refused("it carries a name or a password");
  const trusted = trustedHosts.includes(url.host);
  const special = findings.find(({ code }) => FORBIDDEN.has(code));
  if (special !== undefined && !trusted) throw refused(special.text);
  const ip = await resolve(url.hostname);
  if (!trusted && isPrivate(ip)) throw refused(`${url.hostname} leads to ${ip}, which is not public`);
  return { url, ip };
}

const FORBIDDEN = new Set(["special_address", "embedded_address", "lookalike_host", "rewritten_host", "userinfo"]);

async function resolve(hostname: string): Promise<string> {
  const plain = hostname.replace(/^\[|\]$/g, "");
  if (isIP(plain) !== 0) return plain;
  const { address } = await lookup(plain);
  return address;
}

function isPrivate(ip: string): boolean {
  const { findings, inspectable } = analyseUrl(`http://${isIP(ip) === 6 ? `[${ip}]` : ip}/`);
  return !inspectable || findings.some(({ code }) => code === "special_address" || code === "embedded_address");
}

function open(url: URL, ip: string, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const headers = { "user-agent": "countersign-assistant", accept: "text/*, application/json;q=0.9, */*;q=0.1" };
  const family = isIP(ip);
  const options = {
    signal,
    headers,
    agent: false as const,
    // Whatever asks for the name again gets the address that was judged.
    lookup: (
      _host: string,
      wanted: { all?: boolean },
      done: (error: null, address: unknown, family?: number) => void,
    ) => (wanted.all === true ? done(null, [{ address: ip, family }]) : done(null, ip, family)),
  };
  return new Promise((done, fail) => {
    request(url, options as object, done)
      .on("error", fail)
      .end();
  });
}

async function read(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { text: Buffer.concat(chunks).toString("utf8"), cut: size > maxBytes };
}

function refused(why: string): Error {
  return new Error(`Not fetched: ${why}`);
}
