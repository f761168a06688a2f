import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { escapeText, type Locale, type Person } from "countersign";
import { channelsFrom, type Served, serve } from "countersign/server";
import { answerChats } from "../chats.js";
import { type Home, homeFolder, openHome } from "../home.js";
import { assistantMounts } from "../mounts.js";
import type { Members } from "../people.js";
import { told } from "../told.js";
import { openBrowser } from "./open-browser.js";
import { readOptions, type StartOptions } from "./options.js";
import { START_WORDS } from "./words.js";

type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "env" | "once">;

/** Server, inbox, chat and, in an empty household, the demo agent; until it is told to stop. Gives the exit code. */
export function main(argv: readonly string[], process: Process): Promise<number> {
  return told(process.stderr, () => run(argv, process));
}

async function run(argv: readonly string[], process: Process): Promise<number> {
  const options = readOptions(argv);
  if ("problem" in options) {
    process.stderr.write(`${START_WORDS.en.unknownOption(escapeText(options.problem))}\n`);
    return 2;
  }
  const locale: Locale = options.lang ?? "en";
  const words = START_WORDS[locale];
  if (options.help) {
    process.stdout.write(`${words.help.join("\n")}\n`);
    return 0;
  }
  const folder = options.data ?? homeFolder(process.env);
  const channels = channelsFrom(process.env["COUNTERSIGN_CHANNELS"], folder, process.env);
  let people: Members = () => [];
  const home = openHome({ folder, locale, env: process.env, members: (workspaceId) => people(workspaceId) });
  const server = await serve(home.gate, {
    identity: join(folder, "identity.db"),
    mounts: assistantMounts(home.assistant),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(channels === undefined ? {} : { channels }),
  }).catch(async (error: unknown) => {
    await home.assistant.close();
    await home.gate.close();
    throw error;
  });
  const chats = server.bus && answerChats({ bus: server.bus, assistant: home.assistant, locale });
  people = (workspaceId) => server.people(workspaceId);
  await announce({ process, options, locale, folder, home, server });
  await stopSignal(process);
  process.stdout.write(`${words.stopping}\n`);
  chats?.stop();
  await home.assistant.close();
  await server.close();
  return 0;
}

interface Started {
  readonly process: Process;
  readonly options: StartOptions;
  readonly locale: Locale;
  readonly folder: string;
  readonly home: Home;
  readonly server: Served;
}

async function announce({ process, options, locale, folder, home, server }: Started): Promise<void> {
  const words = START_WORDS[locale];
  const { userId, workspaceId } = home.gate.caller;
  const owner: Person = { kind: "person", userId, workspaceId };
  const hasDemo = options.demo && (await home.assistant.demo.start(owner, locale));
  const isTTY = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const lines = [words.at(server.url)];
  const link = await server.signInLink();
  if (isTTY) lines.push(words.signIn(link));
  else lines.push(words.signInFile(await keepLink(folder, link)));
  if (hasDemo) lines.push(words.demo);
  process.stdout.write(`${[...lines, words.safeToKill].join("\n")}\n`);
  if (isTTY && options.open) openBrowser(link);
}

/** Whoever holds the link is the owner: without a terminal to show it on, it goes where only they can read. */
async function keepLink(folder: string, link: string): Promise<string> {
  const path = join(folder, "sign-in-link");
  await writeFile(path, `${link}\n`, { mode: 0o600 });
  return path;
}

function stopSignal(process: Process): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => resolve());
  });
}
