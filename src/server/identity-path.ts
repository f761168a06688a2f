import { join } from "node:path";
import { dataFolder, openStateFolder } from "../config/state-folder.js";

/** Where people are kept by a server that nobody gave a place. */
export function identityPath(): string {
  return join(openStateFolder(dataFolder(process.env)), "identity.db");
}
