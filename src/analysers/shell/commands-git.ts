import { type CommandRule, every, LOOKS } from "./rule.js";

const DIFF_OPTIONS = [
  ["writes_files", "--output"],
  ["runs_code", "--ext-diff", "--textconv"],
] as const;
const DIFF: CommandRule = { effect: "looks", options: DIFF_OPTIONS, valued: "nSGUOL" };
const LOCAL: CommandRule = { effect: "writes_files" };
const DESTROYS: CommandRule = { effect: "destroys" };
const NETWORK: CommandRule = { effect: "uses_network" };

/** git by subcommand. One that is not listed may be an alias, which can be any program. */
export const GIT: CommandRule = {
  effect: "runs_code",
  // Settings given on the command line can name programs to run; another directory's settings can too.
  options: [["runs_code", "-c", "--config-env", "--exec-path", "--git-dir", "--work-tree", "--namespace"]],
  valued: "Cc",
  flags: "-p -P --paginate --no-pager --bare --no-replace-objects --literal-pathspecs --no-optional-locks --no-advice",
  longValued: ["--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"],
  subcommands: {
    ...every("log show diff shortlog whatchanged diff-tree diff-index diff-files range-diff", DIFF),
    ...every("rev-parse rev-list ls-files ls-tree cat-file describe name-rev merge-base for-each-ref show-ref", LOOKS),
    ...every("count-objects check-ignore check-attr var version show-branch cherry", LOOKS),
    status: { effect: "looks" },
    blame: { effect: "looks", valued: "LSCM" },
    annotate: LOOKS,
    grep: { effect: "looks", options: [["runs_code", "-O", "--open-files-in-pager", "--textconv"]], valued: "efABCm" },
    branch: {
      effect: "looks",
      options: [
        ["destroys", "-D", "-f", "-M", "-C", "--force"],
        ["destroys", "-d", "--delete"],
        [
          "writes_files",
          "-m",
          "-c",
          "-u",
          "--move",
          "--copy",
          "--set-upstream-to",
          "--unset-upstream",
          "--edit-description",
        ],
      ],
      longValued: [
        "-l",
        "--contains",
        "--no-contains",
        "--merged",
        "--no-merged",
        "--points-at",
        "--sort",
        "--format",
        "--list",
      ],
      operands: { most: 0, beyond: "changes_reversibly" },
    },
    tag: {
      effect: "looks",
      options: [
        ["destroys", "-d", "--delete", "-f", "--force"],
        ["writes_files", "-a", "-s", "-m", "-F"],
      ],
      longValued: ["--contains", "--merged", "--points-at", "--sort", "--format", "--list", "-l"],
      valued: "n",
      operands: { most: 0, beyond: "changes_reversibly" },
    },
    remote: {
      effect: "looks",
      flags: "-v --verbose",
      subcommands: {
        "get-url": LOOKS,
        ...every("show update prune", NETWORK),
        ...every("add set-url rename set-head set-branches", { effect: "changes_environment" }),
        ...every("remove rm", DESTROYS),
      },
      operands: { most: 0, beyond: "changes_environment" },
    },
    config: {
      // A setting can name a pager, an editor or a hook: writing one runs code later.
      effect: "changes_environment",
      inspect: (args) => {
        const reads = ["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list", "--get-urlmatch"];
        return args.some((word) => reads.includes(word.value ?? "")) ? "looks" : "changes_environment";
      },
    },
    stash: {
      effect: "writes_files",
      subcommands: { list: LOOKS, show: DIFF, ...every("drop clear", DESTROYS) },
    },
    reflog: {
      effect: "looks",
      inspect: (args) => (args.some((word) => /^(expire|delete|drop)$/.test(word.shape)) ? "destroys" : "looks"),
    },
    worktree: { effect: "writes_files", subcommands: { list: LOOKS, ...every("remove prune", DESTROYS) } },
    submodule: {
      effect: "uses_network",
      subcommands: { status: LOOKS, summary: LOOKS, foreach: { effect: "runs_code" }, deinit: DESTROYS },
    },
    bisect: { effect: "writes_files", subcommands: { log: LOOKS, run: { effect: "runs_code" } } },
    notes: { effect: "writes_files", subcommands: { list: LOOKS, show: LOOKS, ...every("remove prune", DESTROYS) } },

    ...every("add init stage", { effect: "changes_reversibly" }),
    ...every(
      "commit merge cherry-pick revert mv apply am format-patch archive bundle sparse-checkout switch read-tree",
      {
        ...LOCAL,
        options: [
          ["destroys", "-f", "--force", "--discard-changes"],
          ["uses_network", "--remote"],
          ["runs_code", "--exec"],
        ],
        valued: "mCcoF",
      },
    ),
    rebase: { effect: "writes_files", options: [["runs_code", "-x", "--exec", "-i", "--interactive"]] },
    checkout: {
      ...LOCAL,
      options: [["destroys", "-f", "--force", "-B"]],
      // `git checkout -- file`, `git checkout .` and `git checkout main.ts` throw away uncommitted work, and behind a branch
      // stand paths, unless a new branch starts from it.
      inspect: (args) => {
        const paths = args.some((word) => /^(--|\.|:\/)$|^\.\/|\/$|\.[a-z]\w*$/i.test(word.shape));
        const creates = args.some((word) => word.value === "-b");
        const operands = args.filter((word) => !word.shape.startsWith("-")).length;
        return paths || operands > (creates ? 2 : 1) ? "destroys" : "writes_files";
      },
    },
    restore: {
      effect: "destroys",
      inspect: (args) => {
        const staged = args.some((word) => word.value === "--staged" || word.value === "-S");
        return staged && !args.some((word) => /^(--worktree|-W)$/.test(word.shape)) ? "writes_files" : "destroys";
      },
    },
    reset: { ...LOCAL, options: [["destroys", "--hard", "--merge", "--keep"]] },
    clean: {
      effect: "destroys",
      inspect: (args) =>
        args.some((word) => word.value === "-n" || word.value === "--dry-run") ? "looks" : "destroys",
    },
    ...every("rm gc prune filter-branch filter-repo update-ref replace repack pack-refs symbolic-ref", DESTROYS),
    push: {
      effect: "uses_network",
      options: [
        [
          "destroys",
          "-f",
          "-d",
          "--force",
          "--force-with-lease",
          "--delete",
          "--mirror",
          "--prune",
          "--force-if-includes",
        ],
      ],
      valued: "o",
      inspect: (args) => (args.some((word) => /^[+:]/.test(word.shape)) ? "destroys" : "uses_network"),
    },
    ...every("fetch pull clone ls-remote send-email request-pull daemon svn p4 lfs", NETWORK),
  },
};
