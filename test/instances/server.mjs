// One instance, until it is killed: a whole server on what the environment names. Its tool writes each effect down outside of
// the gate, with some time before and after, so that kills fall there too. The first line says where it is and, when nobody was
// here before, how to sign in.
import { openSync, writeSync } from "node:fs";
import { setTimeout as later } from "node:timers/promises";
import { loadConfig } from "../../dist/config/load.js";
import { defineTool } from "../../dist/index.js";
import { logger, startServer } from "../../dist/server/index.js";

const effects = openSync(process.env["EFFECTS"] ?? "", "a");
const served = await startServer({
  config: loadConfig({ environment: process.env }).config,
  notice: logger({ format: "text", level: "error", write: (line) => writeSync(2, `${line}\n`) }),
  web: false,
  tools: [
    defineTool({
      name: "task.update",
      effect: "write",
      riskTier: "R2",
      confirm: true,
      execute: async (/** @type {{ n: number }} */ { n }, { approvalId }) => {
        await later(n % 5);
        writeSync(effects, `${approvalId}\n`);
        await later(n % 7);
        return { n };
      },
    }),
  ],
});
const link = served.firstRun ? await served.signInLink() : undefined;
writeSync(1, `${JSON.stringify({ url: served.url, link })}\n`);
