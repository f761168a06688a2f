import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Card } from "../../core/card/card.js";
import { CountersignError } from "../../core/errors.js";
import { atLeast } from "../../core/risk.js";
import { parseStrictJson } from "../../core/strict-json.js";
import { shown } from "../../core/text/shown.js";
import { confirmAtTerminal, renderCardText } from "../../terminal/index.js";
import { askLine, isEnded } from "../../terminal/prompt.js";
import { Api } from "../api.js";
import { type Console, EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { pendingQuestions, type Question } from "../questions.js";
import { signInByCode, urlOf } from "../signed-in.js";
import { WatchScreen } from "../watch-screen.js";
import { decide, drawing } from "./approvals.js";

const REFRESH = 2_000;
const ARROW_DOWN = "\u001b[B";
const ARROW_UP = "\u001b[A";

/** A live list to answer from. Its right to answer is asked for at each start and never leaves memory. */
export function watchCommand({ program, run }: Frame): void {
  program
    .command("watch")
    .description("a live list of what waits, to open, approve, edit or deny")
    .action(
      run(async (console, options) => {
        if (!console.isTTY) {
          throw new CountersignError(
            "invalid_request",
            "watch needs a terminal. In scripts use: countersign pending --json",
          );
        }
        const url = urlOf(console, options);
        const token = await signInByCode(console, url);
        const api = new Api(url, { token, workspace: options["workspace"], again: "countersign watch" });
        try {
          await new Watch(console, api).run();
        } finally {
          await api.post("/v1/auth/sign-out").catch(() => undefined);
        }
        return EXIT.ok;
      }),
    );
}

class Watch {
  readonly #console: Console;
  readonly #api: Api;
  readonly #screen: WatchScreen;
  #isStale = false;

  constructor(console: Console, api: Api) {
    this.#console = console;
    this.#api = api;
    this.#screen = new WatchScreen(console);
  }

  async run(): Promise<void> {
    await this.#refresh();
    for (;;) {
      const key = await this.#key();
      const chosen = this.#screen.chosen;
      if (key === "q" || key === "\u0003" || isEnded(this.#console.process.stdin)) return;
      if (key === undefined) await this.#refresh();
      // A key that is held down comes several times at once. Of all keys only these count then: they decide nothing.
      else if (/^[jk]+$/.test(key)) for (const each of key) this.#screen.move(each === "j" ? 1 : -1);
      else if (chosen !== undefined) await this.#act(key, chosen);
    }
  }

  async #act(key: string, question: Question): Promise<void> {
    try {
      if (key === "\r") await this.#open(question);
      else if (key === "a") await this.#approve(question);
      else if (key === "e") await this.#edit(question);
      else if (key === "d") await this.#deny(question);
      else return;
      await this.#refresh();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** What went wrong stands under the list; without a session there is no list any more. */
  #tell(error: unknown): void {
    if ((error as { code?: unknown }).code === "not_signed_in") throw error;
    this.#screen.tell((error as Error).message);
  }

  async #refresh(): Promise<void> {
    try {
      this.#screen.show(await pendingQuestions(this.#api, this.#console.locale));
      // What was wrong is no longer: the list is fresh again.
      if (this.#isStale) this.#screen.tell("");
      this.#isStale = false;
    } catch (error) {
      this.#isStale = true;
      this.#tell(error);
    }
  }

  async #open({ card }: Question): Promise<void> {
    const { stdout } = this.#console.process;
    stdout.write(`\n${renderCardText(card, { ...drawing(this.#console), details: true })}\n(any key goes back)\n`);
    await this.#key(false);
  }

  async #approve(question: Question, args?: unknown, card: Card = question.card): Promise<void> {
    if (atLeast(card.riskTier, "R3")) {
      this.#screen.tell(
        `“${card.risk.word}” is decided in the browser: ${this.#api.url}/approvals/${question.approvalId}`,
      );
      return;
    }
    const { stdin, stdout } = this.#console.process;
    const said = await confirmAtTerminal(card, {
      input: stdin,
      output: stdout,
      isTTY: true,
      ...drawing(this.#console),
    });
    if (said.type !== "approve") return this.#screen.tell("Not approved. It still waits.");
    if (args === undefined) await decide(this.#api, question, "approve");
    else {
      await this.#api.post(`/v1/approvals/${question.approvalId}/decision`, {
        decision: "approve",
        toolCallHash: question.card.toolCallHash,
        args,
      });
    }
    this.#screen.tell(`Approved ${card.code}.`);
  }

  /** The person's own editor, on the arguments as JSON; then the card of what they made of them, with the difference. */
  async #edit(question: Question): Promise<void> {
    const { args } = JSON.parse(question.card.toolCallCanonical) as { args: unknown };
    const edited = editText(this.#console, `${JSON.stringify(args, null, 2)}\n`);
    const changed = parseStrictJson(edited);
    const { card } = await this.#api.post<{ card: Card }>(`/v1/approvals/${question.approvalId}/draft`, {
      args: changed,
    });
    await this.#approve(question, changed, card);
  }

  async #deny(question: Question): Promise<void> {
    const { stdin, stdout } = this.#console.process;
    const reason = await askLine(shown`Why is ${question.card.code} denied? (the agent is told; Enter for no reason)`, {
      input: stdin,
      output: stdout,
    });
    if (reason === undefined) return this.#screen.tell("Not denied. It still waits.");
    await decide(this.#api, question, "deny", reason === "" ? undefined : reason);
    this.#screen.tell(`Denied ${question.card.code}. Nothing ran.`);
  }

  /** The next key, or nothing after a while, so that the list stays fresh, and nothing at the end of the input. */
  #key(refreshes = true): Promise<string | undefined> {
    const { stdin } = this.#console.process;
    if (isEnded(stdin)) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const end = (key: string | undefined) => {
        stdin.off("data", onData);
        stdin.off("end", onEnd);
        stdin.setRawMode(false);
        stdin.pause();
        clearTimeout(timer);
        resolve(key);
      };
      const onData = (data: Buffer) => end(data.toString("utf8").replaceAll(ARROW_DOWN, "j").replaceAll(ARROW_UP, "k"));
      const onEnd = () => end(undefined);
      const timer = refreshes ? setTimeout(() => end(undefined), REFRESH) : undefined;
      stdin.setRawMode(true);
      stdin.resume();
      stdin.on("data", onData);
      stdin.on("end", onEnd);
    });
  }
}

function editText({ process: { env } }: Console, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-edit-"));
  const file = join(folder, "arguments.json");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const editor = env["VISUAL"] || env["EDITOR"] || "vi";
    const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    if (status !== 0)
      throw new CountersignError("invalid_request", "The editor ended with an error; nothing was changed.");
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
