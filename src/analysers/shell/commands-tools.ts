import { GIT } from "./commands-git.js";
import { inspectIp, inspectVerbs } from "./inspections.js";
import { type CommandRule, every, LOOKS } from "./rule.js";

const REMOTE: CommandRule = { effect: "reads_remote" };
const RUNS: CommandRule = { effect: "runs_code" };
const DESTROYS: CommandRule = { effect: "destroys" };
const INSTALLS: CommandRule = { effect: "installs_software" };
const SYSTEM: CommandRule = { effect: "changes_system" };
const CLOUD: CommandRule = { effect: "uses_network", inspect: inspectVerbs };

// Docker objects share their verbs: `docker image ls`, `docker volume rm`.
const OBJECT_VERBS: Readonly<Record<string, CommandRule>> = {
  ...every("ls list inspect history ps logs top stats port diff", LOOKS),
  ...every("rm remove prune kill", DESTROYS),
};
const CONTAINERS: CommandRule = {
  effect: "changes_system",
  options: [["uses_network", "-H", "--host", "-c", "--context", "--url", "--connection", "--config"]],
  valued: "Hcl",
  flags: "-D --debug --tls --tlsverify",
  longValued: ["--host", "--context", "--url", "--connection", "--config", "--log-level"],
  subcommands: {
    ...every("ps images logs inspect version info stats top port diff history", LOOKS),
    ...every("image container volume network system builder context plugin", {
      effect: "changes_system",
      subcommands: { ...OBJECT_VERBS, df: LOOKS, info: LOOKS, events: LOOKS },
    }),
    ...every("rm rmi kill", DESTROYS),
    ...every("run exec build create attach", RUNS),
    ...every("pull push login logout search", { effect: "uses_network" }),
    compose: {
      effect: "runs_code",
      valued: "fp",
      longValued: ["--file", "--project-name", "--profile", "--env-file"],
      subcommands: {
        ...every("ps logs ls images top port version", LOOKS),
        config: { effect: "shows_environment" },
        down: { effect: "changes_system", options: [["destroys", "-v", "--volumes", "--rmi"]] },
        ...every("rm kill", DESTROYS),
        ...every("stop start restart pause unpause", SYSTEM),
      },
    },
  },
};

const KUBECTL: CommandRule = {
  effect: "uses_network",
  // Another server or another set of credentials, whose settings may name programs to run.
  options: [["uses_network", "-s", "--server", "--kubeconfig", "--token"]],
  valued: "ns",
  flags: "-A --all-namespaces",
  longValued: ["--namespace", "--context", "--cluster", "--user", "--kubeconfig", "--server", "--token"],
  subcommands: {
    ...every("get describe", {
      effect: "reads_remote",
      options: [["uses_network", "--raw", "-f", "--filename", "-k", "--kustomize"]],
      valued: "nolL",
      inspect: (args) =>
        args.some((word) => /(^|,)secrets?(?![\w-])/i.test(word.shape)) ? "reads_secret" : "reads_remote",
    }),
    ...every("logs version api-resources api-versions explain top cluster-info", REMOTE),
    auth: { effect: "uses_network", subcommands: { "can-i": REMOTE, whoami: REMOTE } },
    config: {
      effect: "changes_environment",
      subcommands: {
        ...every("current-context get-contexts get-clusters", LOOKS),
        view: { effect: "shows_environment", options: [["reads_secret", "--raw"]] },
      },
    },
    rollout: { effect: "uses_network", subcommands: { status: REMOTE, history: REMOTE } },
    ...every("delete drain replace", DESTROYS),
    ...every("exec run debug cp attach", RUNS),
  },
};

const APT: CommandRule = {
  effect: "installs_software",
  flags: "-q -qq -y -s --quiet --yes",
  options: [["runs_code", "-o", "-c", "--option", "--config-file"]],
  subcommands: {
    ...every("list show search policy depends rdepends showpkg madison", LOOKS),
    ...every("purge autoremove remove clean autoclean", DESTROYS),
  },
};

/** Tools with subcommands: version control, containers, packages, services and clouds. */
export const TOOLS: Readonly<Record<string, CommandRule>> = {
  git: GIT,
  ...every("docker podman nerdctl", CONTAINERS),
  "docker-compose": CONTAINERS.subcommands?.["compose"] ?? RUNS,
  ...every("kubectl oc", KUBECTL),
  helm: {
    effect: "uses_network",
    subcommands: {
      ...every("list ls status history version", REMOTE),
      get: { effect: "reads_secret" },
      ...every("uninstall delete rollback", DESTROYS),
    },
  },
  ...every("terraform tofu", {
    effect: "runs_code",
    singleDash: true,
    options: [["runs_code", "-chdir"]],
    subcommands: {
      ...every("version", LOOKS),
      ...every("show output", { effect: "shows_environment" }),
      fmt: { effect: "writes_files" },
      destroy: DESTROYS,
      apply: {
        effect: "runs_code",
        singleDash: true,
        options: [["destroys", "-destroy", "-auto-approve", "-replace"]],
      },
      state: { effect: "runs_code", subcommands: { list: LOOKS, show: { effect: "shows_environment" }, rm: DESTROYS } },
      workspace: { effect: "changes_system", subcommands: { list: LOOKS, show: LOOKS, delete: DESTROYS } },
    },
  }),
  ...every("aws gcloud az gh glab doctl linode-cli flyctl fly heroku vercel netlify ibmcloud openstack oci exo", CLOUD),

  npm: {
    effect: "runs_code",
    flags: "-g --global --json --long -l --all -a --silent -s",
    longValued: ["--prefix", "--workspace", "-w", "--depth"],
    subcommands: {
      ...every("ls list ll la root prefix bin explain why", LOOKS),
      ...every("view info show outdated search audit whoami ping", {
        effect: "reads_remote",
        subcommands: { fix: INSTALLS },
      }),
      config: {
        effect: "changes_environment",
        subcommands: {
          get: { effect: "shows_environment" },
          list: { effect: "shows_environment" },
          ls: { effect: "shows_environment" },
        },
      },
      ...every("install i ci add update upgrade uninstall remove rm link dedupe prune rebuild", INSTALLS),
      ...every("publish deprecate dist-tag owner access login adduser logout", { effect: "uses_network" }),
      unpublish: DESTROYS,
    },
  },
  ...every("pnpm yarn bun", {
    effect: "runs_code",
    subcommands: { ...every("list ls why", LOOKS), ...every("install add remove update upgrade", INSTALLS) },
  }),
  ...every("pip uv conda mamba", {
    effect: "installs_software",
    flags: "-q -v --quiet --verbose --disable-pip-version-check --no-color",
    subcommands: {
      list: {
        effect: "looks",
        options: [
          ["reads_remote", "-o", "-u", "--outdated", "--uptodate"],
          ["uses_network", "-i", "-f", "--index-url", "--extra-index-url", "--find-links"],
        ],
      },
      ...every("show freeze check", LOOKS),
      config: { effect: "changes_environment" },
      run: RUNS,
    },
  }),
  ...every("apt apt-get aptitude", APT),
  "apt-cache": {
    effect: "installs_software",
    options: [["runs_code", "-o", "-c", "--option", "--config-file"]],
    subcommands: every("show search policy depends rdepends showpkg showsrc stats pkgnames madison unmet", LOOKS),
  },
  "apt-mark": INSTALLS,
  dpkg: {
    effect: "installs_software",
    inspect: (args) => {
      const reads = /^(-[lLsSpc]|--(list|listfiles|status|search|print-architecture))$/;
      return args.length <= 2 && reads.test(args[0]?.value ?? "") ? "looks" : "installs_software";
    },
  },
  "dpkg-query": LOOKS,
  brew: {
    effect: "installs_software",
    subcommands: {
      ...every("list ls deps uses leaves config", LOOKS),
      ...every("info search outdated", REMOTE),
      ...every("uninstall remove rm cleanup autoremove", DESTROYS),
    },
  },
  ...every("yum dnf microdnf pacman apk zypper snap flatpak rpm gem port emerge nix-env opam cpan", INSTALLS),
  ...every(
    "make cmake ninja cargo go gradle mvn ant bazel just rake tox nox poetry pipenv composer bundle npx bunx pnpx uvx pipx",
    RUNS,
  ),
  ...every(
    "pytest jest vitest mocha eslint prettier tsc tsx ts-node deno webpack vite rollup esbuild gcc cc clang ld as rustc javac java",
    RUNS,
  ),

  systemctl: {
    effect: "changes_system",
    options: [["uses_network", "-H", "--host", "-M", "--machine"]],
    valued: "tpnoHM",
    longValued: ["--type", "--state", "--property", "--lines", "--output"],
    flags: "--user --system --no-pager --full -l --all -a --quiet -q --no-legend --plain --failed --global",
    subcommands: {
      ...every(
        "status show cat list-units list-unit-files list-timers list-sockets list-dependencies list-jobs",
        LOOKS,
      ),
      ...every("is-active is-enabled is-failed is-system-running get-default help", LOOKS),
      ...every("poweroff reboot halt kexec rescue emergency hibernate suspend kill exit", DESTROYS),
    },
  },
  ip: { effect: "looks", inspect: inspectIp },
  ...every("vi vim nvim view ex ed nano emacs pico joe micro", { effect: "runs_code" }),
  ...every("tmux screen expect gdb lldb php-cgi m4 wish irb ghci iex erl scala groovy julia R Rscript octave gnuplot", {
    effect: "cannot_inspect",
  }),
};

/** Programs whose version option does nothing else. */
export const ASK_VERSION = new Set(
  `git node npm npx pnpm yarn bun deno tsc python pip ruby gem perl php go cargo rustc rustup java javac gcc g++ clang cmake make
   docker podman kubectl helm terraform aws gcloud az gh brew curl wget tar openssl bash zsh sh jq rg fd sqlite3 psql mysql
   uv poetry composer gradle mvn vim nano ssh rsync ffmpeg convert`.split(/\s+/),
);

/** Their own ways of asking the same. */
export const OWN_VERSION_OPTIONS = new Set(
  "node -v,npm -v,pnpm -v,yarn -v,python -V,php -v,ruby -v,perl -v,ssh -V,go version,java -version".split(","),
);
