import { describe, expect, it } from "vitest";
import { sensitivePlaces } from "./sensitive-path.js";

const codesOf = (path: string) => sensitivePlaces(path).map(({ code }) => code);

describe("a sensitive place (attack C8)", () => {
  it.each([
    [
      "secret_keys",
      [
        ...["/home/a/.ssh", ".ssh/config", "/a/.gnupg/x", "id_rsa", "a/id_dsa", "a/id_ecdsa", "a/id_ed25519"],
        ...["a/authorized_keys", "a.pem", "a.p12", "a.pfx", "a.key", "a.keystore", "a.jks"],
      ],
    ],
    ["secret_environment", [".env", "a/.env", "a/.env.production", ".env.example.local", ".envrc", "a/.envrc"]],
    [
      "secret_accounts",
      [
        ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d/x", "/etc/security/x"],
        ...["/etc/krb5.keytab", "/proc/1/environ", "/proc/self/mem"],
      ],
    ],
    [
      "secret_credentials",
      [
        ...[".aws/x", "/h/.azure", ".kube/config", "/h/.config/gcloud/x", "/h/.config/gh", ".terraform.d", ".netrc"],
        ...[".password-store/x", "/h/.npmrc", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials", ".vault-token"],
        ...[
          "/h/.docker/config.json",
          "credentials",
          "a/credentials.json",
          "service-account.json",
          "service-account-x.json",
        ],
      ],
    ],
    [
      "git_internals",
      [
        ".git/hooks",
        "a/.git/hooks/pre-commit",
        ".git/config",
        ".git/modules/x",
        ".husky",
        "a/.husky/x",
        "/h/.gitconfig",
      ],
    ],
    [
      "start_files",
      [
        ...[".bashrc", "/h/.bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile"],
        ...[".zlogin", ".kshrc", ".cshrc", ".inputrc", "/h/.config/fish/x", ".config/autostart/x", ".config/systemd"],
        ...["/etc/crontab", "/etc/cron.d/x", "/etc/profile", "/etc/profile.d/x", "/etc/systemd/x", "/etc/init.d/x"],
        ...["/etc/rc.local", "/etc/ld.so.preload", "/etc/bash.bashrc", "/var/spool/cron/root"],
        ...["/Users/a/Library/LaunchAgents/x", "/Library/LaunchDaemons"],
      ],
    ],
    [
      "agent_settings",
      [
        ...[".claude/settings.json", "a/.cursor", ".codex/x", ".gemini/x", ".continue/x", ".vscode/settings.json"],
        ...[".vscode/tasks.json", "a/.vscode/launch.json", ".vscode/mcp.json", "a/.mcp.json"],
      ],
    ],
    [
      "own_guard",
      [
        ...[".countersign/x", "/h/.local/state/countersign", "/h/.local/share/countersign/x", "/x/config/countersign"],
        ...["/h/.config/countersign/x", "/h/Library/Application Support/countersign/x", "countersign.yaml"],
        ...["a/countersign.yml", "countersign.policy.yaml", "countersign.json", "countersign.db", "countersign.db-wal"],
        ...["countersign.sqlite", "countersign.sqlite3-shm", "countersign.db-journal"],
      ],
    ],
  ])("%s is known by its names", (code, paths) => {
    for (const path of paths) expect(codesOf(path), path).toContain(code);
  });

  it.each([
    ...["/home/a/ssh", "a.ssh", ".sshx/config", "my_id_rsa", "id_rsa.pub", "a.pem.txt", "apem", "authorized_keys.md"],
    ...[".env.example", ".env.sample", "a/.env.template", ".env.dist", "a.env", ".environment", ".envrc.md"],
    ...["/home/etc/shadow", "etc/sudoers", "/proc/1/environ/x", "/proc/environ", "/proc/1/2/mem"],
    ...["aws/x", "a.aws/x", ".awsx", ".config/gcloudy", "x.npmrc", ".npmrc.md", "my-credentials", "credentials.md"],
    ...["service-account/x.json", ".git/hooksx", ".git/configx", ".git/objects/x", "a.git/config", ".gitconfig.md"],
    ...[".bashrc.md", "x.bashrc", ".config/fishy", "/a/etc/crontab", "/etc/systemd-x", "/a/var/spool/cron/x"],
    ...["claude/settings.json", ".claudex", ".vscode/extensions.json", ".vscode/settings.json.md", "x.mcp.json"],
    ...[
      "countersign",
      "countersign/x",
      ".countersignx",
      "a/countersign.md",
      "my-countersign.yaml",
      "countersign.yaml.md",
    ],
    ...["/state/countersigned", "/x/mystate/y/countersign"],
  ])("is not %s", (path) => {
    expect(codesOf(path)).toEqual([]);
  });

  it("is known in other spellings that a disk may take for the same (attack C7)", () => {
    expect(codesOf(".ENV")).toEqual(["secret_environment"]);
    expect(codesOf("．env")).toEqual(["secret_environment"]);
    expect(codesOf(".e\u200bn\u200bv")).toEqual(["secret_environment"]);
  });

  it("says what it holds, once for each kind", () => {
    expect(sensitivePlaces("/h/.ssh/.env")).toEqual([
      { code: "secret_keys", says: "holds private keys" },
      { code: "secret_environment", says: "holds the secrets of an environment" },
    ]);
    const says = (path: string) => sensitivePlaces(path)[0]?.says;
    expect(says("/etc/shadow")).toBe("holds account data of the system");
    expect(says(".netrc")).toBe("holds credentials");
    expect(says(".git/config")).toBe("makes git run programs");
    expect(says(".bashrc")).toBe("runs when a shell or the system starts");
    expect(says(".mcp.json")).toBe("tells agents or editors what they may run");
    expect(says(".countersign")).toBe("belongs to Countersign itself");
  });
});
