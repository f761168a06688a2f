import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { Document, parseDocument } from "yaml";
import { CHANNEL_FIELDS, type ChannelField, isPlatform, PLATFORMS } from "../../config/channel-fields.js";
import { readChannels } from "../../config/channels.js";
import { loadConfig } from "../../config/load.js";
import { CountersignError } from "../../core/errors.js";
import { makeFolder } from "../../folder.js";
import { refusal } from "../api.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { settingsOf } from "./config.js";
import { replyWordsCommand } from "./reply-words.js";

const PATIENCE = 5 * 60_000;

/** Chat platforms: setting one up, and trying those that are set up. */
export function channelCommands({ program, run }: Frame): void {
  const channels = program.command("channels").description("chat platforms on which people answer");
  channels
    .command("setup <platform>")
    .description(`ask for the credentials of ${PLATFORMS.join(", ")}, write them down and send a test card`)
    .option("--set <name=value...>", "a credential; env:NAME takes it from a variable at each start")
    .option("--chat <id>", "send the test card to this chat instead of waiting for somebody to write")
    .option("--no-test", "write the file and connect to nothing")
    .option("--data <folder>", "data folder of the server")
    .action(
      run(async (console, options, platform = "") => {
        const name = checkPlatform(platform);
        const path = channelsFile(console, options);
        const given = givenValues(options["set"] as unknown as readonly string[] | undefined);
        const values = await ask(console, CHANNEL_FIELDS[name], given);
        const text = merged(path, name, values);
        await replace(path, text);
        console.say(`wrote ${path} (for your eyes only, mode 0600)`);
        const tested =
          (options["test"] as unknown) === false ? undefined : await trial(console, path, name, options["chat"]);
        console.answer({ platform: name, file: path, tested: tested !== undefined }, () => [
          tested === undefined ? "Not tested." : "It works: the card was answered.",
          "Next: start the server (countersign serve), open Settings › Chat accounts, and send the bot the code shown there.",
        ]);
        return EXIT.ok;
      }),
    );
  channels
    .command("test <platform>")
    .description("connect as the server would, and send a test card")
    .option("--chat <id>", "the chat to send it to")
    .option("--data <folder>", "data folder of the server")
    .action(
      run(async (console, options, platform = "") => {
        const name = checkPlatform(platform);
        const tried = await trial(console, channelsFile(console, options), name, options["chat"]);
        console.answer(tried, () => `It works: answered by ${tried.answered}.`);
        return EXIT.ok;
      }),
    );
  replyWordsCommand(channels, run);
  channels
    .command("list")
    .description("the channels that are set up")
    .option("--data <folder>", "data folder of the server")
    .action(
      run(async (console, options) => {
        const path = channelsFile(console, options);
        const config = existsSync(path) ? readChannels(path, console.process.env) : undefined;
        const names = PLATFORMS.filter((name) => config?.[name] !== undefined);
        console.answer({ file: path, channels: names }, () =>
          names.length === 0 ? "No channel is set up. Try: countersign channels setup feishu" : names,
        );
        return EXIT.ok;
      }),
    );
}

function checkPlatform(name: string) {
  if (isPlatform(name)) return name;
  throw new CountersignError("invalid_request", `There is no channel "${name}". There are: ${PLATFORMS.join(", ")}.`);
}

function channelsFile(console: Console, options: Record<string, string | undefined>): string {
  const { config } = loadConfig({ environment: console.process.env, ...settingsOf(options) });
  return config.channels ?? join(config.data, "countersign.channels.yaml");
}

function givenValues(pairs: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new CountersignError("invalid_request", `--set takes name=value, not "${pair.split("=")[0]}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** What was not given is asked for; without a terminal that is an error that names it. */
async function ask(
  console: Console,
  fields: readonly ChannelField[],
  given: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const unknown = Object.keys(given).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) {
    const known = fields.map(({ name }) => name).join(", ");
    throw new CountersignError("invalid_request", `There is no credential "${unknown}" here. There are: ${known}.`);
  }
  const missing = fields.filter(({ name }) => given[name] === undefined);
  if (missing.length === 0) return given;
  const needed = missing.filter(({ optional }) => optional !== true);
  if (!console.isTTY) {
    if (needed.length === 0) return given;
    const flags = needed.map(({ name, help }) => `  --set ${name}=…   ${help}`).join("\n");
    throw new CountersignError("invalid_request", `Without a terminal nothing can be asked. Give:\n${flags}`);
  }
  let hidden = false;
  const { stdin, stderr } = console.process;
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!hidden) stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: true });
  const answerTo = async ({ name, help, secret }: Pick<ChannelField, "name" | "help" | "secret">) => {
    stderr.write(`${name}: ${help}\n> `);
    hidden = secret === true;
    const value = await lines.question("").catch(() => {
      stderr.write("\n");
      throw refusal("interrupted", "Interrupted. Nothing was written.");
    });
    if (hidden) stderr.write("\n");
    hidden = false;
    return value.trim();
  };
  const values: Record<string, string> = { ...given };
  try {
    for (const { name, help, optional, secret } of missing) {
      const value = await answerTo({ name, help, ...(secret === undefined ? {} : { secret }) });
      if (value === "" && optional !== true) {
        throw new CountersignError("invalid_request", `Nothing was given for ${name}. Nothing was written.`);
      }
      if (value !== "") values[name] = value;
    }
  } finally {
    lines.close();
  }
  return values;
}

/** The file with this channel in it; comments and other channels stay as they are. */
function merged(path: string, platform: string, values: Readonly<Record<string, string>>): string {
  const document = existsSync(path) ? parseDocument(readFileSync(path, "utf8")) : new Document({});
  if (document.errors.length > 0) {
    throw new CountersignError(
      "invalid_request",
      `${path} is not YAML: ${document.errors[0]?.message}. Nothing was written.`,
    );
  }
  for (const [name, value] of Object.entries(values)) document.setIn([platform, name], value);
  return document.toString();
}

/** Written whole or not at all, and never readable by others. */
async function replace(path: string, text: string): Promise<void> {
  makeFolder(dirname(path));
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

async function trial(console: Console, path: string, platform: string, chat: string | undefined) {
  const { channelSetup, tryChannel } = await import("../../server/channels/index.js");
  const setup = channelSetup(readChannels(path, console.process.env));
  const channel = setup.channels.find(({ name }) => name === platform);
  if (channel === undefined) throw new CountersignError("invalid_request", `${path} does not set ${platform} up.`);
  return tryChannel(channel, {
    locale: console.locale,
    step: (line) => console.say(line),
    patience: PATIENCE,
    ...(chat === undefined ? {} : { chat: { kind: "private", id: chat } }),
  });
}
