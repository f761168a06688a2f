import type { Effect } from "./effects.js";
import type { CommandRule } from "./rule.js";

/**
 * How a program finds the command it starts. Options are listed in full: one that is not listed may or may not take a
 * value, so where the inner command begins would be a guess, and the wrapper counts as opaque instead.
 */
export interface Wrapper {
  /** What the wrapper does by itself. */
  readonly effect: Effect;
  /** Short options without a value. */
  readonly flags?: string;
  /** Short options with one, glued or as the next word. */
  readonly valued?: string;
  readonly longFlags?: string;
  readonly longValued?: string;
  /** The option whose value is a shell script: `su -c`. */
  readonly script?: string;
  /** The option whose value is split into words: `env -S`. */
  readonly split?: string;
  /** Operands before the command: a duration, a lock file, a host. */
  readonly operands?: number;
  /** `VAR=value` may stand before the command. */
  readonly assignments?: boolean;
  /** The remaining words are joined and read by a shell again. */
  readonly joins?: boolean;
  /** Arguments are added at run time, in place of a marker or after the words. */
  readonly fills?: boolean;
  /** Started without a command it opens a shell or reads commands from its input. */
  readonly interactive?: boolean;
  /** Only these first operands start a command: `docker exec`. */
  readonly only?: readonly string[];
}

const PRIVILEGE: Wrapper = { effect: "changes_rights", interactive: true };
const CONTAINER_RUN: Wrapper = {
  effect: "runs_code",
  only: ["exec", "run"],
  operands: 1,
  flags: "itdPq",
  valued: "euwvpemlnhc",
  longFlags: "interactive tty detach rm privileged init read-only no-healthcheck publish-all quiet",
  longValued:
    "env env-file user workdir volume mount publish name network memory cpus entrypoint platform pull hostname label add-host cap-add cap-drop device gpus shm-size tmpfs ulimit security-opt restart log-driver pid ipc userns",
};

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: {
    effect: "looks",
    flags: "i0v",
    valued: "uCP",
    longFlags: "ignore-environment null debug",
    longValued: "unset chdir",
    split: "S",
    assignments: true,
  },
  sudo: {
    ...PRIVILEGE,
    flags: "AbBEHknPS",
    valued: "ugpCDhrtTRU",
    longFlags: "askpass background preserve-env set-home non-interactive stdin reset-timestamp preserve-groups",
    longValued: "user group prompt chdir host role type chroot close-from",
    assignments: true,
  },
  doas: { ...PRIVILEGE, flags: "nL", valued: "uC" },
  pkexec: { ...PRIVILEGE, longFlags: "disable-internal-agent keep-cwd", longValued: "user" },
  su: {
    ...PRIVILEGE,
    flags: "lmpfP",
    valued: "sgGw",
    script: "c",
    longFlags: "login preserve-environment",
    longValued: "shell group",
    operands: 1,
  },
  runuser: { ...PRIVILEGE, flags: "lmpf", valued: "ugGs", script: "c", longValued: "user group shell" },
  sg: { ...PRIVILEGE, operands: 1, script: "c" },
  newgrp: PRIVILEGE,
  gosu: { ...PRIVILEGE, operands: 1 },
  chroot: { ...PRIVILEGE, operands: 1, longValued: "userspec groups", longFlags: "skip-chdir" },
  unshare: {
    ...PRIVILEGE,
    flags: "imnpuUCTrcf",
    longFlags: "mount uts ipc net pid user cgroup fork map-root-user mount-proc",
    longValued: "root wd setuid setgid",
    valued: "RwSG",
  },
  nsenter: {
    ...PRIVILEGE,
    flags: "amuinpCUTrwFZ",
    valued: "tSG",
    longFlags: "all mount uts ipc net pid user preserve-credentials",
    longValued: "target",
  },
  "systemd-run": {
    ...PRIVILEGE,
    flags: "tPGqrd",
    valued: "puMHE",
    longFlags: "user system scope wait pty pipe quiet collect no-block",
    longValued: "unit property on-active on-calendar uid gid setenv working-directory",
  },

  command: { effect: "looks", flags: "pvV" },
  builtin: { effect: "looks" },
  exec: { effect: "looks", flags: "cl", valued: "a" },
  eval: { effect: "changes_environment", joins: true },
  coproc: { effect: "looks" },
  nohup: { effect: "writes_files" },
  setsid: { effect: "changes_reversibly", flags: "cfw", longFlags: "ctty fork wait" },
  nice: { effect: "looks", flags: "0123456789", valued: "n", longValued: "adjustment" },
  ionice: { effect: "looks", flags: "t", valued: "cnpPu", longValued: "class classdata" },
  chrt: { effect: "changes_system", flags: "abfiorRvm", valued: "TPDp", operands: 1 },
  taskset: { effect: "changes_reversibly", flags: "ac", valued: "p", operands: 1 },
  timeout: {
    effect: "looks",
    flags: "fvp",
    valued: "ks",
    longFlags: "foreground preserve-status verbose",
    longValued: "kill-after signal",
    operands: 1,
  },
  time: { effect: "looks", flags: "pvaq", valued: "f", longFlags: "portability verbose quiet", longValued: "format" },
  stdbuf: { effect: "looks", valued: "ioe", longValued: "input output error" },
  flock: {
    effect: "changes_reversibly",
    flags: "sxnueFov",
    valued: "wE",
    longFlags: "shared exclusive nonblock unlock close no-fork verbose",
    longValued: "timeout wait conflict-exit-code",
    script: "c",
    operands: 1,
  },
  watch: {
    effect: "looks",
    flags: "bcdegtpwrxC",
    valued: "nq",
    longFlags: "beep color differences errexit chgexit no-title precise exec no-wrap",
    longValued: "interval",
    joins: true,
  },
  xargs: {
    effect: "looks",
    flags: "0rtpxo",
    valued: "adEILnPs",
    longFlags: "null no-run-if-empty verbose interactive exit open-tty",
    longValued: "arg-file delimiter eof replace max-lines max-args max-procs max-chars process-slot-var",
    fills: true,
  },
  parallel: {
    effect: "runs_code",
    flags: "kXmu",
    valued: "jNnIa",
    longFlags: "dry-run bar keep-order line-buffer",
    longValued: "jobs",
    fills: true,
    joins: true,
    interactive: true,
  },
  script: {
    effect: "writes_unknown",
    flags: "aefq",
    valued: "EIOBTmo",
    longFlags: "append flush quiet return",
    script: "c",
    interactive: true,
  },
  strace: { effect: "runs_code", flags: "fcCdhikqrtTvVwxyYzZ", valued: "abeoOpPsSuEIX", longFlags: "follow-forks" },
  ltrace: { effect: "runs_code", flags: "cCdfhiLrStTV", valued: "abDeFlnopsuwx" },
  valgrind: { effect: "runs_code", longFlags: "quiet verbose" },
  ssh: {
    effect: "uses_network",
    flags: "46AaCfGgKkMNnqsTtVvXxYy",
    valued: "BbcDEeFIiJLlmOopQRSWw",
    operands: 1,
    joins: true,
  },
  mosh: { effect: "uses_network", operands: 1, longValued: "ssh server client predict", flags: "46a" },
  docker: CONTAINER_RUN,
  podman: CONTAINER_RUN,
  nerdctl: CONTAINER_RUN,
  kubectl: {
    effect: "runs_code",
    only: ["exec"],
    operands: 1,
    flags: "itq",
    valued: "cn",
    longFlags: "stdin tty quiet",
    longValued: "container namespace context",
  },
  busybox: { effect: "looks", interactive: true },
  toybox: { effect: "looks", interactive: true },
  ...Object.fromEntries(
    "aa-exec capsh cpulimit choom dbus-run-session fakeroot firejail bwrap multitime pexec rlwrap setarch setlock setpriv softlimit ssh-agent sshpass start-stop-daemon torify proxychains unbuffer xvfb-run catchsegv daemonize prlimit numactl caffeinate arch-chroot ts run-parts openvt"
      .split(" ")
      .map((name) => [name, { effect: "runs_code" } satisfies Wrapper]),
  ),
};

/** How a wrapper is rated by itself; its inner command is rated on its own. */
export const WRAPPER_RULES: Readonly<Record<string, CommandRule>> = {
  ...Object.fromEntries(
    Object.entries(WRAPPERS)
      .filter(([, wrapper]) => wrapper.only === undefined)
      .map(([name, { effect }]) => [name, { effect, arguments: "command" } satisfies CommandRule]),
  ),
  // With a process id they change a running program instead of starting one.
  ionice: {
    effect: "looks",
    arguments: "command",
    options: [["changes_system", "-p", "-P", "-u", "--pid", "--pgid", "--uid"]],
  },
  taskset: { effect: "changes_reversibly", arguments: "command", options: [["changes_system", "-p", "--pid"]] },
  env: {
    effect: "looks",
    arguments: "command",
    // Without a command it prints the environment.
    inspect: (args) => (args.every((word) => /^-|^\w+=/.test(word.shape)) ? "shows_environment" : "looks"),
  },
};
