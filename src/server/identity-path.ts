import { join } from "node:path";
import { stateFolder } from "../config/load.js";
import { openStateFolder } from "../config/state-folder.js";

/** Where people are kept by a server that nobody gave a place. */
export function identityPath(): string {
  const named = process.env["COUNTERSIGN_DATA"];
  return join(openStateFolder(named === undefined || named === "" ? stateFolder(process.env) : named), "identity.db");
}
