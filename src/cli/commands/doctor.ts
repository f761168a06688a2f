import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Me } from "../../client/index.js";
import { loadConfig } from "../../config/load.js";
import { checkPolicy } from "../../policy/index.js";
import { Api } from "../api.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn, urlOf } from "../signed-in.js";
import { settingsOf, withSettings } from "./config.js";

type Options = Record<string, string | undefined>;

interface Finding {
  /** `warning`: it works, and could be safer; every new set-up has some. `wrong`: it does not work, or lets others in. */
  readonly level: "ok" | "warning" | "wrong";
  readonly what: string;
  readonly advice?: string;
}

const MARKS: Readonly<Record<Finding["level"], string>> = { ok: "✓", warning: "!", wrong: "✗" };

/** Looks for what makes the promises weaker than they sound, and says what to do about it. */
export function doctorCommand({ program, run }: Frame): void {
  withSettings(program.command("doctor"))
    .description("look for an unsafe or broken set-up")
    .action(
      run(async (console, options) => {
        const { config } = loadConfig({ environment: console.process.env, ...settingsOf(options) });
        const url = urlOf(console, options, `http://localhost:${config.port}`);
        const findings = [
          nodeVersion(),
          ...folder(config.data),
          insideWorkingFolder(config.data),
          ...policyFile(config.policy ?? join(config.data, "countersign.policy.yaml")),
          await server(url),
          await apart(console, options, config.data, url),
        ];
        console.answer(findings, () =>
          findings.flatMap(({ level, what, advice }) => [
            `${MARKS[level]} ${what}`,
            ...(advice ? [`  ${advice}`] : []),
          ]),
        );
        return findings.some(({ level }) => level === "wrong") ? EXIT.failed : EXIT.ok;
      }),
    );
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    level: ok ? "ok" : "wrong",
    what: `Node ${process.versions.node}`,
    ...(ok ? {} : { advice: "Countersign needs Node 20.19 or newer." }),
  };
}

function folder(data: string): Finding[] {
  if (!existsSync(data)) return [{ level: "ok", what: `data folder ${data} (made at the first start)` }];
  const secrets = readdirSync(data).filter((name) => name.endsWith(".key") || name === "sign-in-link");
  return [data, ...secrets.sort().map((name) => join(data, name))].map((path) => {
    const open = process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;
    return {
      level: open ? "wrong" : "ok",
      what: path,
      ...(open ? { advice: `Others on this machine can read it. Run: chmod go= ${path}` } : {}),
    };
  });
}

/** An agent that works in a folder can change what is in it. */
function insideWorkingFolder(data: string): Finding {
  const inside = `${data}/`.startsWith(`${process.cwd()}/`);
  return {
    level: inside ? "wrong" : "ok",
    what: inside ? "the data folder is inside the working folder" : "the data folder is outside the working folder",
    ...(inside
      ? { advice: "An agent that works here can read and change it. Keep it elsewhere: COUNTERSIGN_DATA." }
      : {}),
  };
}

function policyFile(path: string): Finding[] {
  if (!existsSync(path)) return [{ level: "ok", what: "no policy file: the tiers decide alone" }];
  const { problems } = checkPolicy(readFileSync(path, "utf8"), path);
  const sound: Finding = { level: "ok", what: path };
  return [problems.length === 0 ? sound : { ...sound, level: "wrong", advice: "countersign policy check" }];
}

async function server(url: string): Promise<Finding> {
  try {
    const { store } = await new Api(url).get<{ store: { text: string } }>("/readyz");
    return { level: "ok", what: `${url} is ready. ${store.text}` };
  } catch {
    const advice = "Start it (countersign serve), or name its address: --url or COUNTERSIGN_URL.";
    return { level: "wrong", what: `${url} does not answer as a Countersign server that is ready`, advice };
  }
}

/** What tells the person and an agent on their machine apart. Whatever is not known counts as missing. */
export interface Apart {
  /** The account of this terminal; undefined where accounts have no number. */
  readonly account: number | undefined;
  /** The account that the data folder belongs to, where it is on this machine. */
  readonly keeper: number | undefined;
  /** How many passkeys the signed-in person has; undefined when nobody is signed in. */
  readonly passkeys: number | undefined;
}

/** An agent under one's own account can do what this terminal can, unless a finger is asked for or the server is out of reach. */
export function toldApart({ account, keeper, passkeys }: Apart, url: string): Finding {
  // Nothing is out of reach for root.
  if (account !== undefined && account !== 0 && keeper !== undefined && keeper !== account)
    return { level: "ok", what: "the server's data belong to another account: an agent under yours cannot reach them" };
  if (passkeys !== undefined && passkeys > 0)
    return { level: "ok", what: "you have a passkey: an agent under your account cannot do what asks for it" };
  const seen = passkeys === undefined ? " Whether you have one is seen after: countersign login" : "";
  return {
    level: "warning",
    what: "an agent under your own account can do what this terminal can",
    advice: `Add a passkey (${url}/settings/security), or run the server under another account.${seen}`,
  };
}

async function apart(console: Console, options: Options, data: string, url: string): Promise<Finding> {
  const passkeys = async () => (await signedIn(console, options).get<Me>("/v1/me")).passkeys;
  const known = {
    account: process.getuid?.(),
    keeper: process.platform === "win32" ? undefined : statSync(data, { throwIfNoEntry: false })?.uid,
    passkeys: await passkeys().catch(() => undefined),
  };
  return toldApart(known, url);
}
