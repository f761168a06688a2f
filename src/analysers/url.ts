import { domainToUnicode } from "node:url";
import { parseUrl } from "../core/parse-url.js";
import { type Analysis, type Finding, highestTier, type RiskTier } from "../core/risk.js";
import { embeddedIpv4, specialAddress, specialName } from "./url-address.js";
import { inHosts } from "./url-scope.js";
import { looksLikeAnother } from "./url-script.js";

export interface UrlScope {
  /** `example.com`, `*.example.com`, either with a port. */
  readonly hosts: readonly string[];
}

export interface UrlAnalysis extends Analysis {
  /** Certainly one of the scope's hosts; undefined without a scope. */
  readonly inside: boolean | undefined;
  /** The URL as the parser reads it: what was judged is what must be fetched. */
  readonly url: string | undefined;
}

const MAX_LENGTH = 8192;
const WEB = new Set(["http:", "https:", "ws:", "wss:"]);
const CODE = new Set(["javascript:", "vbscript:", "data:", "blob:", "filesystem:"]);
/** Ports on which web servers are usual; others often belong to services that do not expect strangers. */
const WEB_PORTS = new Set(["", "80", "443", "3000", "5000", "8000", "8080", "8443"]);

/** Where a URL leads and whether that is inside the scope, by the one parser that fetch uses too. Never throws. */
export function analyseUrl(text: string, scope?: UrlScope): UrlAnalysis {
  const outside = scope === undefined ? undefined : false;
  const isText = typeof text === "string" && text.length <= MAX_LENGTH && !/\0|\p{Surrogate}/u.test(text);
  const url = isText ? parseUrl(text) : undefined;
  if (url === undefined) {
    const finding: Finding = { code: "unparsable", riskTier: "R4", text: "This cannot be read as an absolute URL." };
    return { riskTier: "R4", inspectable: false, findings: [finding], inside: outside, url: undefined };
  }
  const findings = [
    ...schemeFindings(url),
    ...(WEB.has(url.protocol) ? [...spelling(text, url), ...hostFindings(text, url)] : []),
  ];
  const doubtful = findings.some((finding) => DOUBT.has(finding.code));
  const inside = scope === undefined ? undefined : WEB.has(url.protocol) && !doubtful && inHosts(url, scope.hosts);
  if (inside === false)
    findings.push(found("R3", "host_outside", `The host ${url.host || "of this URL"} is outside of the scope.`, text));
  return {
    riskTier: highestTier(findings.map((finding) => finding.riskTier)),
    inspectable: true,
    findings,
    inside,
    url: url.href,
  };
}

/** Findings after which another parser may well reach another host. */
const DOUBT = new Set([
  "stripped_characters",
  "backslash",
  "odd_slashes",
  "userinfo",
  "rewritten_host",
  "trailing_dot",
]);

function found(riskTier: RiskTier, code: string, text: string, fragment: string): Finding {
  return { code, riskTier, text, fragment: fragment.slice(0, 400) };
}

function schemeFindings(url: URL): Finding[] {
  const scheme = url.protocol;
  if (WEB.has(scheme)) return [];
  if (CODE.has(scheme))
    return [{ code: "code_scheme", riskTier: "R4", text: `A ${scheme} URL carries its own content or code.` }];
  if (scheme === "file:")
    return [{ code: "file_scheme", riskTier: "R3", text: "A file: URL reads from this machine or a share." }];
  return [{ code: "other_scheme", riskTier: "R3", text: `A ${scheme} URL starts another program or protocol.` }];
}

/** Spellings that the parser repairs and other programs read differently. */
function spelling(text: string, url: URL): Finding[] {
  const findings: Finding[] = [];
  const stripped = (/^[\0-\x20]/.exec(text) ?? /[\0-\x20]$|[\t\n\r]/.exec(text))?.[0];
  if (stripped !== undefined) {
    findings.push(
      found(
        "R3",
        "stripped_characters",
        "The URL holds white space or control characters that its parser drops.",
        stripped,
      ),
    );
  }
  const backslash = /^[^?#]*?\\/.exec(text)?.[0];
  if (backslash !== undefined) {
    findings.push(
      found("R3", "backslash", "The parser reads a backslash as a slash, other programs do not.", backslash),
    );
  }
  if (!/^\s*[a-z]+:\/\/[^/\\]/i.test(text)) {
    findings.push(found("R3", "odd_slashes", "The URL does not have exactly two slashes before its host.", text));
  }
  if (url.username !== "" || url.password !== "" || authority(text).includes("@")) {
    const fragment = authority(text);
    findings.push(
      found("R3", "userinfo", `What stands before the @ is not the host: this leads to ${url.hostname}.`, fragment),
    );
  }
  return findings;
}

function hostFindings(text: string, url: URL): Finding[] {
  const findings: Finding[] = [];
  const { hostname } = url;
  const written = writtenHost(text);
  const note = (riskTier: RiskTier, code: string, sentence: string): void => {
    findings.push(found(riskTier, code, sentence, text.includes(written) && written !== "" ? written : text));
  };
  const address = hostname.replace(/^\[|\]$/g, "");
  const inner = embeddedIpv4(address);
  const unicode = domainToUnicode(hostname);
  if (written.toLowerCase() !== hostname && written.toLowerCase() !== unicode && !hostname.startsWith("[")) {
    note("R3", "rewritten_host", `The host is an unusual spelling of ${hostname}.`);
  }
  if (unicode !== hostname) {
    const alike = unicode.split(".").some(looksLikeAnother);
    if (alike) note("R3", "lookalike_host", `The host ${unicode} (${hostname}) can be taken for another one.`);
    else note("R2", "international_host", `The host ${unicode} is ${hostname} to machines.`);
  }
  if (hostname.endsWith("."))
    note("R3", "trailing_dot", "The host ends with a dot: the same machine, but not the same name.");
  if (inner !== undefined) note("R3", "embedded_address", `The address holds the IPv4 address ${inner}.`);
  const plain = hostname.replace(/\.$/, "");
  const special =
    specialAddress(inner ?? address) ?? specialAddress(address) ?? (isName(address) ? specialName(plain) : undefined);
  if (special !== undefined) note("R3", "special_address", `The host ${inner ?? address} is ${special}.`);
  else if (!isName(address) && inner === undefined)
    note("R2", "bare_address", "The host is an address without a name.");
  if (!WEB_PORTS.has(url.port)) note("R2", "port", `Port ${url.port} is not a usual one for the web.`);
  return findings;
}

function isName(address: string): boolean {
  return !/^[\d.]+$/.test(address) && !address.includes(":");
}

/** The part between the slashes and the path, as written, once what the parser drops is dropped. */
function authority(text: string): string {
  return /^\s*[a-z]+:[/\\]*([^/\\?#]*)/i.exec(text.replace(/[\t\n\r]/g, ""))?.[1]?.trimEnd() ?? "";
}

function writtenHost(text: string): string {
  const host = authority(text).replace(/^.*@/s, "");
  return host.startsWith("[") ? host.replace(/\]:\d*$/, "]") : host.replace(/:\d*$/, "");
}
