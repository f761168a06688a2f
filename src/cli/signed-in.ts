import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dataFolder, openStateFolder } from "../config/state-folder.js";
import { CountersignError } from "../core/errors.js";
import { parseUrl } from "../core/parse-url.js";
import { Api, refusal } from "./api.js";
import type { Console } from "./console.js";

const DEFAULT_URL = "http://localhost:4747";

interface Kept {
  readonly url: string;
  readonly token: string;
}

/** Where the terminal's session is kept, for its owner alone. It decides up to R2 and weakens nothing. */
function fileOf(console: Console): string {
  return join(dataFolder(console.process.env), "cli-session.json");
}

/** The server's address: as it was said, else where this terminal is signed in, else the usual one. */
export function urlOf(console: Console, options: Record<string, string | undefined>, usual = DEFAULT_URL): string {
  const url = options["url"] ?? (console.process.env["COUNTERSIGN_URL"] || kept(console)?.url) ?? usual;
  if (/^https?:$/.test(parseUrl(url)?.protocol ?? "")) return url.replace(/\/+$/, "");
  throw new CountersignError(
    "invalid_request",
    `"${url}" is not the address of a server, such as http://localhost:4747.`,
  );
}

/** The server as the signed-in person, or a refusal that says how to sign in. */
export function signedIn(console: Console, options: Record<string, string | undefined>): Api {
  const url = urlOf(console, options);
  const session = kept(console);
  if (session === undefined || session.url !== url) {
    throw refusal("not_signed_in", `You are not signed in at ${url}. Run: countersign login`);
  }
  return new Api(url, { token: session.token, workspace: options["workspace"] });
}

interface Started {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly interval: number;
  readonly expiresAt: string;
}

/** Shows a code that the person types into their browser, and waits until they have said yes there. */
export async function signInByCode(console: Console, url: string): Promise<string> {
  const api = new Api(url);
  const started = await api.post<Started>("/v1/auth/cli/begin", { client: "countersign CLI" });
  console.say(`Open ${url}/cli in a browser where you are signed in, and enter: ${started.userCode}`);
  for (let interval = started.interval; ; ) {
    await pause(interval);
    const polled = await api.post<Polled>("/v1/auth/cli/poll", { deviceCode: started.deviceCode });
    switch (polled.type) {
      case "signed_in":
        return polled.token;
      case "authorization_pending":
        break;
      case "slow_down":
        interval = polled.interval;
        break;
      default:
        throw refusal("not_signed_in", "The code was denied or has expired. Run the command again.");
    }
  }
}

type Polled =
  | { readonly type: "signed_in"; readonly token: string }
  | { readonly type: "authorization_pending" }
  | { readonly type: "slow_down"; readonly interval: number }
  | { readonly type: "access_denied" | "expired_token" };

export function keepSession(console: Console, session: Kept): void {
  openStateFolder(dataFolder(console.process.env));
  const path = fileOf(console);
  writeFileSync(path, `${JSON.stringify(session)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

export function forgetSession(console: Console): void {
  rmSync(fileOf(console), { force: true });
}

function kept(console: Console): Kept | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(console), "utf8")) as Kept;
  } catch {
    return undefined;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
