import type { Signal } from "../core/classify.js";
import type { Analyser } from "../core/engine.js";
import type { Scope } from "../core/judging/scope.js";
import { type Analysis, atLeast } from "../core/risk.js";
import type { AnyTool } from "../core/tool.js";
import { analysePath } from "./path.js";
import { analyseShell } from "./shell/index.js";
import { analyseSql, type SqlDialect } from "./sql/index.js";
import { analyseUrl } from "./url.js";
import { type ContentFormat, type Found, isContentFormat, valuesIn } from "./values.js";

export interface ContentAnalyserOptions {
  /** For tools whose schema does not say it: the format of each argument, by tool and path: `{ "db.run": { "query": "mysql" } }`. */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, ContentFormat>>>>;
  /** What `sql` means. */
  readonly dialect?: SqlDialect;
  /** What relative paths start from. By default the working directory of this process, for tools that run in it. */
  readonly cwd?: string;
}

/** Findings that say that something lies outside of where the session works. */
const DRIFT: readonly string[] = ["path_outside", "name_alias", "host_outside"];

/**
 * Looks into the arguments of a call: SQL, shell commands, paths, URLs, hosts and e-mail addresses, wherever the tool's schema
 * gives a text such a `format` (in zod `.meta({ format: "sql" })`) or the options name it. It only ever raises.
 */
export function contentAnalyser(options: ContentAnalyserOptions = {}): Analyser {
  for (const [tool, formats] of Object.entries(options.tools ?? {}))
    for (const [path, format] of Object.entries(formats))
      if (!isContentFormat(format)) throw new TypeError(`No format "${String(format)}" is known for ${tool}, ${path}.`);
  return async ({ tool, args, scope }) => {
    const named = Object.hasOwn(options.tools ?? {}, tool.name) ? (options.tools?.[tool.name] ?? {}) : {};
    const signals: Signal[] = [];
    for (const found of valuesIn(tool.jsonSchema, args, named))
      signals.push(...(await inspect(found, tool, scope, options)));
    return signals;
  };
}

async function inspect(
  { value, format, path }: Found,
  tool: AnyTool,
  scope: Scope | undefined,
  options: ContentAnalyserOptions,
): Promise<Signal[]> {
  if (typeof value !== "string") return [unreadable(`The argument ${path} should be a text and is none.`)];
  const analysis = await analyse(value, format, tool, scope, options);
  const { findings, inspectable } = analysis;
  const signals: Signal[] = findings
    .filter((finding) => finding.riskTier !== "R0")
    .map((finding) => ({ ...finding, source: DRIFT.includes(finding.code) ? "scope" : "analyser" }));
  if (!inspectable && !signals.some((signal) => signal.riskTier === "R4"))
    signals.push(unreadable(`The argument ${path} could not be inspected.`));
  // The declaration and the text cannot both be right, and it is the text that runs.
  if (tool.effect === "read" && WRITES.includes(kindOf(format)) && doesMore(analysis))
    signals.push({
      source: "analyser",
      code: "not_a_read",
      riskTier: "R3",
      text: "The tool says that it only reads, and this does more.",
      fragment: value.slice(0, 400),
    });
  return signals;
}

function unreadable(text: string): Signal {
  return { source: "analyser", code: "uninspectable", riskTier: "R4", text };
}

const WRITES: readonly string[] = ["sql", "shell"];

/** Below R2 most findings are about moving around, as `cd` and COMMIT do; a small change is a change all the same. */
function doesMore({ riskTier, findings }: Analysis): boolean {
  return atLeast(riskTier, "R2") || findings.some(({ code }) => code === "changes_reversibly");
}

function kindOf(format: ContentFormat): string {
  return format === "postgres" || format === "mysql" || format === "sqlite" ? "sql" : format;
}

async function analyse(
  value: string,
  format: ContentFormat,
  tool: AnyTool,
  scope: Scope | undefined,
  options: ContentAnalyserOptions,
): Promise<Analysis> {
  const hosts = scope?.domains === undefined ? undefined : { hosts: scope.domains };
  switch (format) {
    case "sql":
      return analyseSql(value, options.dialect ?? "postgres");
    case "postgres":
    case "mysql":
    case "sqlite":
      return analyseSql(value, format);
    case "shell":
      return analyseShell(value);
    case "path": {
      const cwd = options.cwd ?? (tool.execute === undefined ? undefined : process.cwd());
      // Without a scope everything is inside of it; what is odd or sensitive is still found.
      return analysePath(value, { roots: scope?.paths ?? ["/"], ...(cwd === undefined ? {} : { cwd }) });
    }
    case "uri":
    case "url":
      return analyseUrl(value, hosts);
    case "hostname":
      return analyseHost(value, hosts);
    case "email":
      return analyseHost(ONE_ADDRESS.exec(value)?.[1] ?? "", hosts);
    default:
      return format satisfies never;
  }
}

/**
 * One address and nothing beside it: of a list, a name with an address in brackets or a route through another host (`a%b@c`),
 * a mail program reads other recipients than the one at the end.
 */
const ONE_ADDRESS = /^[\p{L}\p{M}\p{N}.#$&'*+/=?^_`{|}~-]+@([^@]+)$/u;

/** A bare host, through the same reader as a URL's. */
function analyseHost(host: string, hosts: { readonly hosts: readonly string[] } | undefined): Analysis {
  // Anything that would end the host early must not be read as one.
  return analyseUrl(/^[^\s/\\?#@:]+$/.test(host) ? `https://${host}/` : "", hosts);
}
