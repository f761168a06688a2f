import { UNKNOWN } from "./types.js";

const SECRET_DIRECTORIES = String.raw`\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.password-store|\.config\/(gh|gcloud|op)|Keychains`;
const SECRET_FILES = String.raw`\.env(\.(?!example|sample|template|dist)[\w.-]+)?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.vault-token|\.bash_history|\.zsh_history|id_(rsa|dsa|ecdsa|ed25519)|[^/]*\.(pem|p12|pfx|key|jks|keystore|kdbx)|credentials(\.json|\.yml|\.yaml)?|secrets?(\.json|\.ya?ml|\.env)?|environ|shadow-?|gshadow-?|sudoers|htpasswd|\.htpasswd|master\.key`;
const SECRET = new RegExp(`(^|[/=:@])((${SECRET_DIRECTORIES})(/|$)|(${SECRET_FILES})$)`);

/** The path names a place where keys, passwords or tokens are kept. */
export function isSecretPath(shape: string): boolean {
  if (/\s/.test(shape.trim()) || shape === "environ") return false;
  return SECRET.test(shape) || patternMatchesSecret(shape);
}

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
  return shape
    .split("/")
    .filter((segment) => /[*?[]/.test(segment) && /[^*?]/.test(segment))
    .some((segment) => {
      const source = segment
        .replace(/[.+^${}()|\\]/g, "\\$&")
        .replace(/\*/g, "[^/]*")
        .replace(/\?/g, "[^/]");
      return SECRET_NAMES.some((name) => (segment[0] === name[0] || !name.startsWith(".")) && matches(source, name));
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
const SYSTEM = /^\/+(etc|usr|bin|sbin|lib\w*|boot|var|root|proc|opt|dev|System|Library|Applications)(\/|$)/;
const STARTUP =
  /(^|\/)(\.(bash|zsh|profile|login|cshrc|tcsh|kshrc|inputrc|vimrc|gitconfig|npmrc|ssh|config|local|pam|xinit|xsession|tmux|screenrc|gdbinit|netrc)[^/]*|\.git|\.husky|\.github|\.vscode|\.claude|crontab|authorized_keys|Makefile|Dockerfile|package\.json)(\/|$)/;

/** What writing to this place means. */
export function writeTarget(
  shape: string,
): "nothing" | "destroys" | "uses_network" | "writes_sensitive" | "writes_files" {
  if (HARMLESS.test(shape)) return "nothing";
  if (STORAGE.test(shape)) return "destroys";
  if (NETWORK.test(shape)) return "uses_network";
  const temporary = /^\/(var\/)?tmp\//.test(shape);
  if (/(^|\/)\.\.(\/|$)/.test(shape) && shape.startsWith("/")) return "writes_sensitive";
  if ((SYSTEM.test(shape) && !temporary) || STARTUP.test(shape)) return "writes_sensitive";
  // `$X` may be any of the above.
  return shape.startsWith(UNKNOWN) || shape.startsWith("/" + UNKNOWN) ? "writes_sensitive" : "writes_files";
}

/** Where a read goes that is not a file: `</dev/tcp/host/port` opens a connection. */
export function isNetworkPath(shape: string): boolean {
  return NETWORK.test(shape);
}
