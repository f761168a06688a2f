import { chmod, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where this person's Countersign keeps its state: not in the folder that an agent works in. */
export function stateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment["COUNTERSIGN_DATA"];
  if (named !== undefined && named !== "") return named;
  const base = environment["XDG_STATE_HOME"];
  return join(base === undefined || base === "" ? join(homedir(), ".local", "state") : base, "countersign");
}

/** Makes the folder if need be, for its owner alone. */
export async function openStateFolder(folder: string = stateFolder()): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
}

export async function identityPath(): Promise<string> {
  return join(await openStateFolder(), "identity.db");
}
