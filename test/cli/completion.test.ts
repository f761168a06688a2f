import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLI } from "./machine.js";

const folder = mkdtempSync(join(tmpdir(), "countersign-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Each shell is handed the words, the last of them unfinished, and says how it would go on; `(files)` leaves it to the shell. */
const ASK: Readonly<Record<string, string>> = {
  bash: `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _countersign; printf '%s\n' "\${COMPREPLY[@]-}"`,
  zsh: `compdef() { :; }; _files() { :; }
    compadd() { shift; print -rl -- \${(M)@:#\${words[CURRENT]}*}; }
    source "$0"; words=("$@"); CURRENT=$#; _countersign`,
  fish: `source $argv[1]; complete -C (string join ' ' -- $argv[2..-1])`,
};

describe.each(Object.keys(ASK))("completion for %s", (shell) => {
  const isThere = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].some((at) => existsSync(join(at, shell)));
  const script = join(folder, `script.${shell}`);
  const complete = (...words: readonly string[]) =>
    execFileSync(shell, ["-c", ASK[shell] ?? "", script, "countersign", ...words], { cwd: folder, encoding: "utf8" })
      .split("\n")
      .filter((word) => word !== "" && !word.startsWith("script."))
      .sort();

  beforeAll(() => {
    writeFileSync(script, execFileSync(process.execPath, [CLI, "completion", shell]));
  });

  it.runIf(isThere).each([
    ["commands", ["au"], ["audit"]],
    ["commands of a command", ["audit", ""], ["export", "help", "key", "verify"]],
    ["options of a nested command", ["audit", "verify", "--"], expect.arrayContaining(["--checkpoints", "--json"])],
    ["the beginning of an option", ["keys", "create", "--sc"], ["--scope"]],
    ["what follows options and their values", ["--url", "http://localhost:1", "keys", "cr"], ["create"]],
    ["arguments that are one of a few words", ["completion", "z"], ["zsh"]],
    ["nothing of ours for a file", ["audit", "verify", ""], []],
    ["nothing of ours for a command to be gated", ["exec", "--", "--"], []],
  ])("gives %s", (_what, words, list) => {
    expect(complete(...words)).toEqual(list);
  });
});
