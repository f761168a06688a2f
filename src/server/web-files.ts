import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { type Incoming, pathOf } from "./http/incoming.js";
import { type Sent, sendFile } from "./http/respond.js";

/** What the pages may do: run and show what this server sends, talk to it, and nothing else. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** Addresses of programs: what is not there is not a page. */
const NOT_PAGES = /^\/?(v1|agent|openapi\.json|reference|healthz|readyz|metrics)(\/|$)/;
const TEXTS: readonly string[] = [".css", ".html", ".js", ".json", ".svg", ".webmanifest"];

/** The built pages under a folder. An address without a file is a page of the app, which finds its way by itself. */
export function webFiles(folder: string): (request: Incoming) => Promise<Sent | undefined> {
  const compressed = new Map<string, Buffer>();
  return async (request) => {
    const name = nameOf(pathOf(request));
    if (name === undefined || NOT_PAGES.test(name)) return undefined;
    const file = extname(name) === "" ? "index.html" : name;
    const type = TYPES[extname(file)];
    if (type === undefined) return undefined;
    const headers = headersOf(file, type);
    try {
      const content = await readFile(join(folder, file));
      const takesGzip = /\bgzip\b/.test(request.header("accept-encoding") ?? "");
      if (!takesGzip || !TEXTS.includes(extname(file))) return sendFile(content, headers);
      // Built files do not change while the server runs; a page that was rebuilt has another length or another name.
      const key = `${file}/${content.length}`;
      const small = compressed.get(key) ?? gzipSync(content);
      compressed.set(key, small);
      return sendFile(small, { ...headers, "content-encoding": "gzip", vary: "accept-encoding" });
    } catch {
      return undefined;
    }
  };
}

/** The path inside the folder; undefined for whatever could lead out of it. */
function nameOf(path: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const name = normalize(decoded).replace(/^[/\\]+/, "");
  const outside = name.split(sep).includes("..") || decoded.includes("\0") || decoded.includes("\\");
  return outside ? undefined : name;
}

function headersOf(file: string, type: string): Record<string, string> {
  return {
    "content-type": type,
    "content-security-policy": PAGE_POLICY,
    // Built assets carry the hash of their content in their name; everything else may change with the next version.
    "cache-control": file.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
  };
}
