import { accessSync, chmodSync, constants } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CountersignError } from "../core/errors.js";
import { makeFolder } from "../folder.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where Countersign keeps its data: where the environment says, else with the state of whoever runs it, never where an agent works. */
export function dataFolder(environment: Environment): string {
  return environment["COUNTERSIGN_DATA"] || join(stateOf(environment), "countersign");
}

function stateOf(environment: Environment): string {
  return environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
}

/** Makes the data folder if need be, for its owner alone; one that cannot be used is refused with what can be done. */
export function openStateFolder(folder: string): string {
  try {
    makeFolder(folder);
    chmodSync(folder, 0o700);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new CountersignError(
      "invalid_request",
      `The data folder ${folder} cannot be used (${why}). It has to be a folder of this account; COUNTERSIGN_DATA or --data names another.`,
      { cause },
    );
  }
  return folder;
}
