/** Kinds of places where a read leaks secrets or a write changes what runs, with what to say of them. */
const PLACES: readonly (readonly [code: string, says: string, pattern: RegExp])[] = [
  [
    "secret_keys",
    "holds private keys",
    /(^|\/)(\.ssh|\.gnupg)(\/|$)|(^|\/)(id_(rsa|dsa|ecdsa|ed25519)|authorized_keys)$|\.(pem|p12|pfx|key|keystore|jks)$/,
  ],
  [
    "secret_environment",
    "holds the secrets of an environment",
    /(^|\/)\.env(\.(?!(example|sample|template|dist)$)[^/]+)?$|(^|\/)\.envrc$/,
  ],
  [
    "secret_accounts",
    "holds account data of the system",
    /^\/etc\/(g?shadow-?|sudoers(\.d(\/|$))?|security(\/|$)|krb5\.keytab)|^\/proc\/[^/]+\/(environ|mem)$/,
  ],
  [
    "secret_credentials",
    "holds credentials",
    /(^|\/)(\.aws|\.azure|\.kube|\.config\/gcloud|\.config\/gh|\.terraform\.d|\.password-store)(\/|$)|(^|\/)(\.netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.vault-token|\.docker\/config\.json|credentials(\.json)?|service-account[^/]*\.json)$/,
  ],
  [
    "git_internals",
    "makes git run programs",
    /(^|\/)\.git\/(hooks(\/|$)|config$|modules\/)|(^|\/)\.husky(\/|$)|(^|\/)\.gitconfig$/,
  ],
  [
    "start_files",
    "runs when a shell or the system starts",
    /(^|\/)\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|inputrc)$|(^|\/)\.config\/(fish|autostart|systemd)(\/|$)|^\/etc\/(cron[^/]*|profile[^/]*|systemd|init\.d|rc\.local|ld\.so\.preload|bash\.bashrc)(\/|$)|^\/var\/spool\/cron(\/|$)|(^|\/)library\/launch(agents|daemons)(\/|$)/,
  ],
  [
    "agent_settings",
    "tells agents or editors what they may run",
    /(^|\/)(\.claude|\.cursor|\.codex|\.gemini|\.continue)(\/|$)|(^|\/)\.vscode\/(settings|tasks|launch|mcp)\.json$|(^|\/)\.mcp\.json$/,
  ],
  [
    "own_guard",
    "belongs to Countersign itself",
    /(^|\/)\.countersign(\/|$)|\/(state|share|config|\.config|application support)\/countersign(\/|$)|(^|\/)countersign(\.policy)?\.(ya?ml|json|db|sqlite3?)(-wal|-shm|-journal)?$/,
  ],
];

export interface SensitivePlace {
  readonly code: string;
  readonly says: string;
}

/** What is sensitive about a path, by its name. Names are folded first: `.ENV` is `.env` on some disks. */
export function sensitivePlaces(path: string): readonly SensitivePlace[] {
  const folded = path
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "");
  return PLACES.filter(([, , pattern]) => pattern.test(folded)).map(([code, says]) => ({ code, says }));
}
