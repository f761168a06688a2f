import { access, chmod, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "../config/load.js";
import { CountersignError } from "../core/errors.js";

/** Makes the folder if need be, for its owner alone. */
export async function openStateFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    await access(folder, constants.W_OK);
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

/** Where people are kept by a server that nobody gave a place. */
export async function identityPath(): Promise<string> {
  const named = process.env["COUNTERSIGN_DATA"];
  return join(
    await openStateFolder(named === undefined || named === "" ? stateFolder(process.env) : named),
    "identity.db",
  );
}
