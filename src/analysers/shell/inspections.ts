import type { Effect } from "./effects.js";
import type { Inspection } from "./rule.js";
import type { ShellWord } from "./types.js";

// Bash evaluates `a[$(rm x)]` wherever it expects a variable, even when the text stood in single quotes.
const EVALUATED = /\$\(|`/;

/** test, read, unset and the like: their arguments name variables. */
export const inspectVariables: Inspection = (args) => (args.some(holdsCode) ? "cannot_inspect" : "looks");

export const inspectPrintf: Inspection = (args) => {
  const assigns = args.some((word) => word.shape.startsWith("-v"));
  return assigns ? inspectVariables(args) : "looks";
};

export function holdsCode(word: ShellWord): boolean {
  return EVALUATED.test(word.shape);
}

/** `set` alone prints every variable; with arguments it changes only the running shell. */
export const inspectSet: Inspection = (args) => (args.length === 0 ? "shows_environment" : "looks");

/** An operand that is not a `+format` sets the clock. */
export const inspectDate: Inspection = (args) =>
  args.some((word) => /^\d{8,}/.test(word.shape)) ? "changes_system" : "looks";

/** jq programs can print the environment, where secrets often live. */
export const inspectJq: Inspection = (args) =>
  args.some((word) => /\$ENV|\benv\b/.test(word.shape)) ? "shows_environment" : "looks";

/** What -exec runs is unwrapped elsewhere; the actions that act by themselves are named here. */
export const inspectFind: Inspection = (args) => {
  const actions = new Set(args.map((word) => word.shape));
  if (actions.has("-delete")) return "destroys";
  if (["-exec", "-execdir", "-ok", "-okdir"].some((action) => actions.has(action))) return "looks";
  return ["-fprint", "-fprint0", "-fprintf", "-fls"].some((action) => actions.has(action)) ? "writes_files" : "looks";
};

/** Reading the table of contents is the only mode of tar that writes nothing. */
export const inspectTar: Inspection = (args) => {
  const first = args[0]?.shape ?? "";
  const letters = args.filter((word) => /^-[^-]/.test(word.shape)).map((word) => word.shape.slice(1));
  if (!first.startsWith("-")) letters.push(first);
  const remote = args.some((word) => /^[^/-][^/]*:/.test(word.shape));
  if (remote) return "uses_network";
  const lists =
    args.some((word) => word.value === "--list") ||
    letters.some((cluster) => cluster.startsWith("t") || /^[vzjJ]*t/.test(cluster));
  const changes =
    /[cxruAd]/.test(letters.map((cluster) => cluster.split("f")[0]).join("")) ||
    args.some((word) => /^--(c|e|ge|u|a|del|r)/.test(word.shape));
  return lists && !changes ? "looks" : "writes_files";
};

/** gzip and its kin replace the file they are given; as a filter, or told to only test or list, they do not. */
export const inspectCompressor: Inspection = (args) => {
  const flags = args.filter((word) => word.shape.startsWith("-"));
  if (flags.some((word) => /^--(stdout|to-stdout|list|test)$|^-[a-zA-Z0-9]*[clt]/.test(word.shape))) {
    return flags.some((word) => /^-[a-zA-Z0-9]*o|^--output|^--rm$/.test(word.shape)) ? "writes_files" : "looks";
  }
  return args.length === flags.length && !flags.some((word) => word.shape.startsWith("-o")) ? "looks" : "writes_files";
};

export const inspectDd: Inspection = (args) =>
  args.some((word) => word.shape.startsWith("of=")) ? "destroys" : "looks";

/** Asking whether a process lives is looking; killing the first process or all of them stops the machine. */
export const inspectKill: Inspection = (args) => {
  const shapes = args.map((word) => word.shape);
  if (["-0", "-l", "-L", "--list"].includes(shapes[0] ?? "")) return "looks";
  if (shapes.some((shape) => /^-(9|kill|sigkill)$/i.test(shape) || shape === "KILL" || shape === "9"))
    return "destroys";
  return shapes.slice(-1).some((shape) => shape === "1" || shape === "-1") ? "destroys" : "changes_system";
};

/** Opening everything to everybody, or the whole tree from its root, cannot be put back. */
export const inspectRights: Inspection = (args) => {
  const recursive = args.some((word) => /^-[a-zA-Z]*R|^--recursive$/.test(word.shape));
  const open = args.some((word) => /^0?[0-7]?777$|^(a|ugo|o)?\+[rwx]*w/.test(word.shape));
  const root = args.some((word) => isRootLike(word.shape));
  return recursive && (open || root) ? "destroys" : "changes_rights";
};

function isRootLike(shape: string): boolean {
  return /^(\/+|\/\*|~\/?|\/(etc|usr|var|home|bin|lib|boot|opt|root)\/?\*?)$/.test(shape);
}

/** Requests that ask a server to delete something. */
export const inspectCurl: Inspection = (args) =>
  args.some((word, index) => /^(-X|--request=?)?DELETE$/i.test(word.shape) && (index > 0 || word.shape.startsWith("-")))
    ? "destroys"
    : "uses_network";

/** Copying between places on this machine stays here; a host name before a colon does not. */
export const inspectRsync: Inspection = (args) => {
  const remote = args.some((word) => !word.shape.startsWith("-") && /^[^/]+:|^rsync:\/\//.test(word.shape));
  return remote || args.some((word) => word.kind === "expansion" && word.shape.startsWith("\0"))
    ? "uses_network"
    : "writes_files";
};

/** A database client runs whatever statement it is given; some statements say that they destroy. */
export const inspectDatabaseClient: Inspection = (args): Effect =>
  args.some((word) => /\b(drop|delete|truncate|alter|flushall|flushdb|remove|dropDatabase)\b/i.test(word.shape))
    ? "destroys"
    : "runs_code";

/** Service command lines name their verb; reading verbs are listed, deleting ones are recognised, the rest changes things. */
export const inspectVerbs: Inspection = (args) => {
  const words = args.filter((word) => !word.shape.startsWith("-")).map((word) => word.shape);
  if (words.some((word) => DESTROYING.test(word))) return "destroys";
  if (words.some((word) => /secret|token|credential|password|get-parameter|access-key|kubeconfig|keys?$/i.test(word)))
    return "reads_secret";
  // The verb is the last of the leading bare words: `aws ec2 describe-instances`, `gcloud compute instances list`.
  const verbs = words.slice(0, 5).filter((word) => /^[a-z][a-z0-9-]*$/.test(word));
  return verbs.some((word) => READING.test(word)) && !verbs.some((word) => CHANGING.test(word))
    ? "reads_remote"
    : "uses_network";
};

const DESTROYING =
  /^(delete|destroy|remove|terminate|purge|drop|wipe|erase|rm|rb|prune|uninstall|deregister|nuke)(-|$)/;
const READING = /^(list|ls|describe|get|show|view|status|search|head|diff|checks|logs|history|whoami|version)(-|$)/;
const CHANGING =
  /^(create|update|put|set|start|stop|run|add|attach|detach|deploy|apply|edit|import|export|copy|cp|mv|sync|send|invoke|exec|ssh|modify|reboot|close|merge|reopen|comment|api|upload|download|install|upgrade|rollback|login|logout|push|pull|clone|fork|enable|disable|reset|restore|publish|batch|execute|ci|config|configure|init|switch|use|patch|release)(-|$)/;

/** A first word that says "delete" is believed, also of a program nobody knows. */
export function namesDestruction(args: readonly ShellWord[]): boolean {
  return args
    .filter((word) => !word.shape.startsWith("-"))
    .slice(0, 3)
    .some((word) => DESTROYING.test(word.shape));
}
