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

/** An operand that is not a `+format` sets the clock; behind these options stands a date to show. */
export const inspectDate: Inspection = (args) =>
  args.some((word, index) => /^\d{8,}/.test(word.shape) && !/^(-d|--date)$/.test(args[index - 1]?.shape ?? ""))
    ? "changes_system"
    : "looks";

/** jq programs can print the environment, where secrets often live. */
export const inspectJq: Inspection = (args) =>
  args.some((word) => /\$ENV|\benv\b/.test(word.shape)) ? "shows_environment" : "looks";

/** yq's can as well, and read any file that they name. */
export const inspectYq: Inspection = (args) => {
  if (args.some((word) => /\b(?:str)?env(?:subst)?\b/.test(word.shape))) return "shows_environment";
  return args.some((word) => /\bload(?:_\w+)?\s*\(/.test(word.shape)) ? "reads_unknown" : "looks";
};

/** What -exec runs is unwrapped elsewhere; the actions that act by themselves are named here. */
export const inspectFind: Inspection = (args) => {
  const actions = new Set(args.map((word) => word.shape));
  if (actions.has("-delete")) return "destroys";
  return ["-fprint", "-fprint0", "-fprintf", "-fls"].some((action) => actions.has(action)) ? "writes_files" : "looks";
};

/** Reading the table of contents is the only mode of tar that writes nothing. */
export const inspectTar: Inspection = (args) => {
  const bundled = args[0]?.shape.startsWith("-") ? "" : (args[0]?.shape ?? "");
  // Without a dash the letters take their values from the following words, programs to run among them.
  if (/[IFgPLV]/.test(bundled)) return "runs_code";
  if (args.some((word) => /^[^/-][^/]*:/.test(word.shape))) return "uses_network";
  const clusters = args.filter((word) => /^-[^-]/.test(word.shape)).map((word) => word.shape.slice(1));
  // What follows `f` in a cluster is a file name.
  const letters = [bundled, ...clusters].map((cluster) => cluster.split("f")[0]).join("");
  const lists = letters.includes("t") || args.some((word) => word.value === "--list");
  const changes = /[cxruAd]/.test(letters) || args.some((word) => /^--(c|e|ge|u|a|del|r)/.test(word.shape));
  return lists && !changes ? "looks" : "writes_files";
};

/** Listing, testing and printing leave the archive packed. */
export const inspectUnzip: Inspection = (args) =>
  /^-[lvtpcZ][lvtpcqz12]*$/.test(args[0]?.value ?? "") ? "looks" : "writes_files";

/** gzip and its kin replace the file they are given; as a filter, or told to only print, test or list, they do not. */
export const inspectCompressor: Inspection = (args) => {
  const flags = args.filter((word) => /^-./.test(word.shape)).map((word) => word.shape);
  if (flags.some((flag) => /^-[a-zA-Z0-9]*o|^--(output|rm)/.test(flag))) return "writes_files";
  const prints = flags.some((flag) => /^--(stdout|to-stdout|list|test)$|^-[dfkqv0-9]*[clt][cdfklqtv0-9]*$/.test(flag));
  return prints || args.length === flags.length ? "looks" : "writes_files";
};

/** `name=value` and the options that load settings from files change the running system. */
export const inspectSysctl: Inspection = (args) =>
  args.some((word) => /=|^-[a-zA-Z]*[wpf]|^--(write|load|system)|\0/.test(word.shape)) ? "changes_system" : "looks";

/** ip abbreviates everything, so only the words known to look are taken for looking. */
export const inspectIp: Inspection = (args) => {
  const options = args.filter((word) => word.shape.startsWith("-"));
  const known = /^--?(4|6|s|d|br|j|p|c|o|h|brief|json|details|stats|statistics|color|pretty|oneline|human)$/;
  if (!options.every((word) => known.test(word.shape))) return "changes_system";
  const [object, verb] = args.filter((word) => !word.shape.startsWith("-"));
  if (object?.shape === "monitor") return "looks";
  return object?.value === undefined || verb === undefined || /^(show|list|ls|get|help)$/.test(verb.shape)
    ? "looks"
    : "changes_system";
};

export const inspectDd: Inspection = (args) =>
  args.some((word) => word.shape.startsWith("of=")) ? "destroys" : "looks";

/** Asking whether a process lives is looking; killing the first process or all of them stops the machine. */
export const inspectKill: Inspection = (args) => {
  const shapes = args.map((word) => word.shape);
  if (["-0", "-l", "-L", "--list"].includes(shapes[0] ?? "")) return "looks";
  if (shapes.some((shape) => /^-(9|kill|sigkill)$/i.test(shape) || shape === "KILL" || shape === "9"))
    return "destroys";
  // The first -1 is a signal; a further one stands for every process.
  return shapes.includes("1") || shapes.lastIndexOf("-1") > 0 ? "destroys" : "changes_system";
};

/** Opening everything to everybody, or the whole tree from its root, cannot be put back. */
export const inspectRights: Inspection = (args) => {
  const recursive = args.some((word) => /^-[a-zA-Z]*R|^--rec/.test(word.shape));
  const open = args.some((word) => /^0?[0-7]?777$|(^|,)([ugoa]*[oa][ugoa]*)?[+=][a-z]*w/i.test(word.shape));
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

/** Service command lines name their verb before the first option. Verbs that read are listed; the rest changes things. */
export const inspectVerbs: Inspection = (args) => {
  const shapes = args.map((word) => word.shape);
  if (shapes.some((shape) => DESTROYING.test(shape))) return "destroys";
  if (shapes.some((shape) => SECRET_WORD.test(shape))) return "reads_secret";
  const firstOption = shapes.findIndex((shape) => !/^[a-z][a-z0-9-]*$/.test(shape));
  const words = firstOption === -1 ? shapes : shapes.slice(0, firstOption);
  return words.some((word) => READING.test(word)) && !words.some((word) => CHANGING.test(word))
    ? "reads_remote"
    : "uses_network";
};

const SECRET_WORD = /^[a-z-]*(secret|token|credential|password|get-parameter|access-key|kubeconfig)/;
const DESTROYING =
  /^(delete|destroy|remove|terminate|purge|drop|wipe|erase|rm|rb|prune|uninstall|deregister|nuke)(-|$)/;
const READING = /^(list|ls|describe|get|show|view|status|search|head|diff|checks|logs|history|whoami|version)(-|$)/;
const CHANGING =
  /^(create|update|put|set|start|stop|run|add|attach|detach|deploy|apply|edit|import|export|copy|cp|mv|sync|send|invoke|exec|ssh|modify|reboot|close|merge|reopen|comment|api|upload|download|install|upgrade|rollback|login|logout|push|pull|clone|fork|enable|disable|reset|restore|publish|batch|execute|ci|config|configure|init|switch|use|patch|release|tag|untag|suspend|resume|redeploy|restart|scale|resize|rotate|move|migrate|convert|revoke|grant|allow|approve|cancel|lock|unlock|assign|associate|disassociate|register|replace|promote|failover|swap|open|submit|schedule|trigger|wait|generate|rename|transfer|mark|ready|review|watch|rerun|alias|extension|browse|auth)(-|$)/;

/** A first word that says "delete" is believed, also of a program nobody knows. */
export function namesDestruction(args: readonly ShellWord[]): boolean {
  return args
    .filter((word) => !word.shape.startsWith("-"))
    .slice(0, 3)
    .some((word) => DESTROYING.test(word.shape));
}
