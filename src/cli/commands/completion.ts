import type { Command } from "commander";
import { CountersignError } from "../../core/errors.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";

/** Every command with its own commands, for shells that complete words. */
function wordsOf(program: Command): readonly (readonly [command: string, words: readonly string[]])[] {
  return program.commands.map((command) => {
    const below = command.commands.map((each) => each.name());
    const options = command.options.flatMap(({ long }) => (long ? [long] : []));
    return [command.name(), [...below, ...options]] as const;
  });
}

type Words = ReturnType<typeof wordsOf>;

const SCRIPTS: Readonly<Record<string, (words: Words) => string>> = {
  bash: (words) => `_countersign() {
  local word="\${COMP_WORDS[COMP_CWORD]}" list="${words.map(([name]) => name).join(" ")}"
  if [ "$COMP_CWORD" -gt 1 ]; then case "\${COMP_WORDS[1]}" in
${words.map(([name, below]) => `    ${name}) list="${below.join(" ")}" ;;`).join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}
complete -o default -F _countersign countersign`,
  zsh: (words) => `#compdef countersign
_countersign() {
  if (( CURRENT == 2 )); then compadd -- ${words.map(([name]) => name).join(" ")}; return; fi
  case "\${words[2]}" in
${words.map(([name, below]) => `    ${name}) compadd -- ${below.join(" ")} ;;`).join("\n")}
  esac
}
compdef _countersign countersign`,
  fish: (words) =>
    [
      `complete -c countersign -n __fish_use_subcommand -a "${words.map(([name]) => name).join(" ")}"`,
      ...words.map(
        ([name, below]) => `complete -c countersign -n "__fish_seen_subcommand_from ${name}" -a "${below.join(" ")}"`,
      ),
    ].join("\n"),
};

/** Prints the script that makes a shell complete our words. */
export function completionCommand({ program, run }: Frame): void {
  const shells = Object.keys(SCRIPTS);
  program
    .command("completion <shell>")
    .description(`print the completion script for ${shells.join(", ")}`)
    .action(
      run(async (console, _options, shell = "") => {
        const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
        if (script === undefined) {
          throw new CountersignError(
            "invalid_request",
            `There is no completion for "${shell}". There is: ${shells.join(", ")}.`,
          );
        }
        console.process.stdout.write(`${script(wordsOf(program))}\n`);
        return EXIT.ok;
      }),
    );
}
