import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LOCAL_CALLER } from "../../core/call.js";
import { CountersignError } from "../../core/errors.js";
import { type JsonObject, toPlainJson } from "../../core/json.js";
import { parseStrictJson } from "../../core/strict-json.js";
import {
  checkPolicy,
  explain,
  formatCheck,
  formatExplanation,
  formatPolicyTest,
  formatReplay,
  loadPolicy,
  loadPolicyTest,
  type Replay,
  testPolicy,
} from "../../policy/index.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn } from "../signed-in.js";

const DEFAULT_FILE = "countersign.policy.yaml";

/** Policies are files: checking, testing and explaining one needs no server; only history is the server's. */
export function policyCommands({ program, run }: Frame): void {
  const policy = program.command("policy").description("try a policy before you trust it");
  policy
    .command("check [file]")
    .description("load it: form, types, rules that can never matter")
    .action(run(async (console, _options, file = DEFAULT_FILE) => check(console, file)));
  policy
    .command("test [file]")
    .description("run its table of calls with expected verdicts")
    .option("--table <file>", "the table; by default the policy-test.yaml beside the policy")
    .action(
      run(async (console, { table }, file = DEFAULT_FILE) => {
        const result = testPolicy(policyIn(file), tableIn(table ?? tableOf(file)));
        console.answer(result, () => formatPolicyTest(result));
        return result.passed ? EXIT.ok : EXIT.failed;
      }),
    );
  policy
    .command("explain <call> [file]")
    .description('every signal, rule and setting for a call, in order; the call is JSON: {"tool": …, "args": …}')
    .option("--table <file>", "the table that declares the tools; by default the one beside the policy")
    .action(
      run(async (console, { table }, call, file = DEFAULT_FILE) => {
        const { tool: name, args, confidence } = readCall(call ?? "");
        const { tools } = tableIn(table ?? tableOf(file));
        const tool = tools.get(name);
        if (tool === undefined) {
          throw new CountersignError(
            "invalid_request",
            `The table declares no tool "${name}". It declares: ${[...tools.keys()].join(", ")}.`,
          );
        }
        const explained = explain(policyIn(file), {
          tool,
          args,
          caller: LOCAL_CALLER,
          at: Date.now(),
          ...(confidence === undefined ? {} : { confidence }),
        });
        console.answer(explained, () => formatExplanation(explained));
        return EXIT.ok;
      }),
    );
  policy
    .command("replay [file]")
    .description("what this policy would have done with the calls of the last days: asked, spared, newly raised")
    .option("--days <days>", "how far back, 30 at most", "7")
    .action(
      run(async (console, options, file = DEFAULT_FILE) => {
        const days = Number(options["days"]);
        if (!Number.isInteger(days) || days < 1 || days > 30) {
          throw new CountersignError("invalid_request", "--days is a whole number from 1 to 30.");
        }
        const body = { text: read(file), days };
        const replayed = await signedIn(console, options).post<Replay>("/v1/policy/replay", body);
        console.answer(replayed, () => formatReplay(replayed));
        return EXIT.ok;
      }),
    );
}

function check(console: Console, file: string): number {
  const checked = checkPolicy(read(file), file);
  const { problems, warnings } = checked;
  console.answer({ file, problems, warnings }, () => formatCheck(checked));
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

function tableOf(file: string): string {
  return join(dirname(file), basename(file).replace(/\.policy\.yaml$/, ".policy-test.yaml"));
}

/** Read first, so that a file that is not there is told as everywhere here, with the command that writes one. */
function policyIn(file: string): ReturnType<typeof loadPolicy> {
  read(file);
  return loadPolicy(file);
}

function tableIn(file: string): ReturnType<typeof loadPolicyTest> {
  read(file);
  return loadPolicyTest(file);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CountersignError(
      "invalid_request",
      `${file} cannot be read. \`countersign init\` writes a policy and its table.`,
      {
        cause,
      },
    );
  }
}

function readCall(text: string): { tool: string; args: JsonObject; confidence?: number } {
  const call = parseStrictJson(text) as { tool?: unknown; args?: unknown; confidence?: unknown };
  if (typeof call?.tool !== "string") {
    throw new CountersignError("invalid_request", 'A call is JSON such as {"tool": "email.send", "args": {}}.');
  }
  const { tool, args = {}, confidence } = call;
  return {
    tool,
    args: toPlainJson(args) as JsonObject,
    ...(typeof confidence === "number" ? { confidence } : {}),
  };
}
