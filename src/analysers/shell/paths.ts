import { type ShellWord, UNKNOWN } from "./types.js";

const SECRET_DIRECTORY =
  /(^|[/=:@])(\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.password-store|\.config\/(gh|gcloud|op)|Keychains)(\/|$)/i;
const SECRET_DOT_FILE =
  /(^|[/=:@])(\.env(\.(?!example|sample|template|dist)[\w.-]+)?|\.(netrc|pgpass|npmrc|pypirc|git-credentials|vault-token|htpasswd)|\.\w+_history)$/i;
const SECRET_FILE =
  /(^|[/=:@])(id_(rsa|dsa|ecdsa|ed25519)|[\w-][\w.-]*\.(pem|p12|pfx|key|jks|keystore|kdbx)|secrets?\.(json|ya?ml|env)|credentials\.\w+)$/i;
// These names are ordinary words unless a directory stands before them.
const SECRET_IN_PLACE = /\/(shadow-?|gshadow-?|sudoers|environ|credentials|htpasswd)$/i;
const SECRETS = [SECRET_DIRECTORY, SECRET_DOT_FILE, SECRET_FILE, SECRET_IN_PLACE];

/** The path names a place where keys, passwords or tokens are kept. */
export function isSecretPath({ shape, kind }: ShellWord): boolean {
  return SECRETS.some((secret) => secret.test(shape)) || (kind !== "literal" && patternMatchesSecret(shape));
}

const LONGEST_PATTERN = 256;
const SECRET_NAMES = [
  ".env",
  ".ssh",
  ".aws",
  ".netrc",
  ".npmrc",
  ".gnupg",
  ".kube",
  ".git-credentials",
  "id_rsa",
  "id_ed25519",
  "shadow",
];

// A pattern such as `.e*` or `.??h` reaches the same files without naming them. `*` alone does not match dot files.
function patternMatchesSecret(shape: string): boolean {
  if (shape.length > LONGEST_PATTERN) return true;
  return shape
    .split("/")
    .filter((segment) => /[*?[]/.test(segment) && /[^*?]/.test(segment))
    .some((segment) => {
      const source = segment
        .replace(/[.+^${}()|\\]/g, "\\$&")
        .replace(/\*+/g, "[^/]*")
        .replace(/\?/g, "[^/]");
      return SECRET_NAMES.some((name) => (segment.startsWith(".") || !name.startsWith(".")) && matches(source, name));
    });
}

function matches(source: string, name: string): boolean {
  try {
    return new RegExp(`^${source}$`).test(name);
  } catch {
    return true;
  }
}

// Places that discard, or that are the command's own terminal.
const HARMLESS = /^\/dev\/(null|stdout|stderr|stdin|tty|fd\/\d+|zero)$/;
const STORAGE =
  /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|dm-|md|loop|mem|kmem|port)|^\/proc\/(sysrq|sys)|^\/sys\//;
const NETWORK = /^\/dev\/(tcp|udp)\//;
// Where people and their tools keep work. Any other absolute place belongs to the system or to somebody else.
const ORDINARY = /^\/(tmp|var\/tmp|home\/[^/]+|Users\/[^/]+|workspaces?|app)\//;
const STARTUP =
  /(^|\/)(\.(bash|zsh|profile|login|cshrc|tcsh|kshrc|inputrc|vimrc|gitconfig|npmrc|ssh|config|local|pam|xinit|xsession|tmux|screenrc|gdbinit|netrc)[^/]*|\.git|\.husky|\.github|\.vscode|\.claude|crontab|authorized_keys|Makefile|Dockerfile|package\.json)(\/|$)/;

type WriteEffect = "nothing" | "destroys" | "uses_network" | "writes_sensitive" | "writes_unknown" | "writes_files";

/** What writing to this place means. */
export function writeTarget(written: string): WriteEffect {
  const shape = written.replace(/\/(\.?\/)+/g, "/");
  if (HARMLESS.test(shape)) return "nothing";
  if (STORAGE.test(shape)) return "destroys";
  if (NETWORK.test(shape)) return "uses_network";
  if (STARTUP.test(shape) || (shape.startsWith("/") && (!ORDINARY.test(shape) || /\/\.\.(\/|$)/.test(shape))))
    return "writes_sensitive";
  // `$X` may be any of the above.
  return shape.startsWith(UNKNOWN) ? "writes_unknown" : "writes_files";
}

/** Where a read goes that is not a file: `</dev/tcp/host/port` opens a connection. */
export function isNetworkPath(shape: string): boolean {
  return NETWORK.test(shape);
}
