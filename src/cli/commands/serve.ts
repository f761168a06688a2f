import { resolve as absolute } from "node:path";
import { type LoadedConfig, loadConfig } from "../../config/load.js";
import type { Served } from "../../server/index.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { handOverLink } from "../link-file.js";
import { quoted } from "../shell-tool.js";
import { settingsOf, withSettings } from "./config.js";

/** Runs the server until it is told to stop. */
export function serveCommand({ program, run }: Frame): void {
  withSettings(program.command("serve"))
    .description("run the server: API, live events and inbox")
    .action(
      run(async (console, options) => {
        const loaded = loadConfig({ environment: console.process.env, ...settingsOf(options) });
        const { config } = loaded;
        // Only here: the other commands start without carrying a server.
        const { logger, startServer } = await import("../../server/index.js");
        const notice = logger({
          format: config.logFormat,
          level: config.logLevel,
          write: (line) => console.process.stderr.write(`${line}\n`),
        });
        const served = await startServer({ config, notice });
        await announce(console, served, loaded, options["config"]);
        return untilStopped(console, served);
      }),
    );
}

/** The address, what the store promises, and at the first run the way in. */
async function announce(
  console: Console,
  served: Served,
  loaded: LoadedConfig,
  file: string | undefined,
): Promise<void> {
  const promise = served.service.gate.store.promises().text;
  const link = served.firstRun ? await handOverLink(console, loaded.config.data, await served.signInLink()) : undefined;
  console.answer({ url: served.url, store: promise, ...(link === undefined ? {} : { signIn: link }) }, () => [
    `Countersign  ${served.url}`,
    `             ${promise}`,
    link === undefined
      ? `Sign in with your passkey, or: ${linkCommandFor(served.url, loaded, file)}`
      : `Sign in      ${link}`,
  ]);
}

/** What makes a link to this very server, also in a terminal that does not have its variables. */
function linkCommandFor(url: string, { config, origins }: LoadedConfig, file: string | undefined): string {
  const isElsewhere = (key: "data" | "port" | "origins") => origins[key] === "flag" || origins[key] === "environment";
  const words = [
    ...(file === undefined ? [] : ["--config", absolute(file)]),
    ...(isElsewhere("data") ? ["--data", config.data] : []),
    ...(isElsewhere("port") ? ["--port", new URL(url).port] : []),
    ...(isElsewhere("origins") ? ["--origins", config.origins.join(",")] : []),
  ];
  return ["countersign link", ...words.map(quoted)].join(" ");
}

/** Waits for the signal to stop; then lets what runs end. A second signal does not wait. */
async function untilStopped(console: Console, served: Pick<Served, "close">): Promise<number> {
  const signal = await new Promise<string>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) console.process.on(name, () => resolve(name));
  });
  console.say(`${signal}: finishing what runs …`);
  const impatient = () => console.process.exit(EXIT.interrupted);
  for (const name of ["SIGINT", "SIGTERM"] as const) console.process.on(name, impatient);
  await served.close();
  return EXIT.ok;
}
