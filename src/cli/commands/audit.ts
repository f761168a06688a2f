import { once } from "node:events";
import { accessSync, readFileSync } from "node:fs";
import { CountersignError } from "../../core/errors.js";
import { type ProofReport, readNotes, verifyExport } from "../../proof/index.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn } from "../signed-in.js";

/** The log, for those who trust nobody: export it, take the checkpoints, and verify both without any server. */
export function auditCommands({ program, run }: Frame): void {
  const audit = program.command("audit").description("the log and its proof");
  audit
    .command("verify [export]")
    .description("walk the chain: the server's own, or an exported file against checkpoints, offline")
    .option("--checkpoints <file>", "signed notes that were kept elsewhere")
    .option("--key <file>", "file of public keys whose notes count, one on each line; see audit key")
    .option("--workspace-id <id>", "the workspace whose log it is", "local")
    .action(
      run(async (console, options, file) => {
        if (file === undefined) {
          const verified = await signedIn(console, options).get<{ ok: boolean; entries?: number }>("/v1/audit/verify");
          console.answer(verified, () => (verified.ok ? "The chain holds." : "The chain is BROKEN."));
          return verified.ok ? EXIT.ok : EXIT.failed;
        }
        if (options["checkpoints"] !== undefined && options["key"] === undefined) {
          throw new CountersignError("invalid_request", "--checkpoints needs --key: a note counts by who signed it.");
        }
        const report = await verifyExport(file, options["workspaceId"] ?? "local", {
          checkpoints: options["checkpoints"] === undefined ? [] : await notesIn(options["checkpoints"]),
          publicKeys: linesIn(options["key"]),
        });
        console.answer(report, () => wordsOf(report));
        return report.verdict === "broken" ? EXIT.failed : EXIT.ok;
      }),
    );
  audit
    .command("export")
    .description("every entry as a line of JSON on standard output")
    .action(
      run(async (console, options) => {
        const { stdout } = console.process;
        for await (const chunk of signedIn(console, options).stream("/v1/audit/export")) {
          if (stdout.destroyed) break;
          // A slow reader slows the server down: a long log never stands in memory as a whole.
          if (!stdout.write(chunk)) await Promise.race([once(stdout, "drain"), once(stdout, "close")]);
        }
        return EXIT.ok;
      }),
    );
  audit
    .command("key")
    .description("the public key that signs checkpoints, for `audit verify --key`; keep it elsewhere")
    .action(
      run(async (console, options) => {
        const { publicKeys } = await signedIn(console, options).get<Signed>("/v1/audit/checkpoints");
        console.answer(publicKeys, () => publicKeys);
        return EXIT.ok;
      }),
    );
}

/** A file that is not there vouches for nothing, and whoever named it did not mean that. */
function notesIn(file: string): ReturnType<typeof readNotes> {
  accessSync(file);
  return readNotes(file);
}

/** Notes are worth what this key is: it has to be fetched before anybody had a reason to change it. */
interface Signed {
  readonly publicKeys: readonly string[];
}

function wordsOf({ verdict, entries, anchoredTo, unanchored, problem }: ProofReport): string[] {
  if (verdict === "valid") return [`${entries} entries hold, all under a checkpoint.`];
  if (verdict === "broken") return [`BROKEN at entry ${problem?.seq}: ${problem?.text}`];
  return [
    `${entries} entries hold in themselves; checkpoints vouch for those up to ${anchoredTo}.`,
    `Entries ${unanchored?.from} to ${unanchored?.to} stand under none: whoever owns the store could have written them today.`,
  ];
}

function linesIn(file: string | undefined): string[] {
  if (file === undefined) return [];
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
  } catch (cause) {
    throw new CountersignError("invalid_request", `${file} cannot be read.`, { cause });
  }
}
