import { Argument, type Command } from "commander";
import { COMPLETION_SCRIPTS, type Place } from "../completion-scripts.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";

/** This command and all below it, with what `--help` shows of each. */
function placesOf(command: Command, path = ""): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return [
    {
      path,
      words: [
        ...commands.map((below) => below.name()),
        ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ],
      options: options.flatMap(({ long, required, optional }) =>
        long ? [{ long, takesValue: required || optional }] : [],
      ),
    },
    ...commands.flatMap((below) => placesOf(below, `${path}/${below.name()}`)),
  ];
}

/** Prints the script that makes a shell complete our words. */
export function completionCommand({ program, run }: Frame): void {
  const shells = Object.keys(COMPLETION_SCRIPTS);
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(shells))
    .description(`print the completion script for ${shells.join(", ")}`)
    .action(
      run(async (console, _options, shell = "") => {
        console.process.stdout.write(`${COMPLETION_SCRIPTS[shell]?.(placesOf(program))}\n`);
        return EXIT.ok;
      }),
    );
}
