import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { stateFolder } from "../config/load.js";

/** Makes the folder if need be, for its owner alone. */
export async function openStateFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
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
