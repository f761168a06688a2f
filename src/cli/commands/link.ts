import { loadConfig } from "../../config/load.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { handOverLink } from "../link-file.js";
import { settingsOf, withSettings } from "./config.js";

/** For whoever runs the server, on its machine: it works on the server's own files, no key and no session reaches it. */
export function linkCommand({ program, run }: Frame): void {
  withSettings(program.command("link"))
    .description("make a new one-time link that signs the owner in; older ones end")
    .option("--recover", "for an owner who lost every passkey: all passkeys and sessions of the owner end first")
    .action(
      run(async (console, options) => {
        const { config } = loadConfig({ environment: console.process.env, ...settingsOf(options) });
        const { makeSignInLink } = await import("../../server/index.js");
        const link = await makeSignInLink(config, { recover: Boolean(options["recover"]) });
        const shown = await handOverLink(console, config.data, link);
        console.answer({ signIn: shown }, () => shown);
        return EXIT.ok;
      }),
    );
}
