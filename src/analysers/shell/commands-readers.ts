import { inspectAwk } from "./awk.js";
import {
  inspectDate,
  inspectFind,
  inspectJq,
  inspectPrintf,
  inspectSet,
  inspectVariables,
  inspectYq,
} from "./inspections.js";
import { type CommandRule, every, LOOKS } from "./rule.js";
import { inspectSed } from "./sed.js";

const TEXT: CommandRule = { effect: "looks", arguments: "text" };
const OUTPUT = ["writes_files", "-o", "--output"] as const;
const AWK: CommandRule = { effect: "looks", inspect: inspectAwk };
const SED: CommandRule = { effect: "looks", inspect: inspectSed };

/** Programs that only look, unless an option or an operand says otherwise. Each was checked for options that write or run. */
export const READERS: Readonly<Record<string, CommandRule>> = {
  ...every(
    `ls dir vdir cat tac head tail nl wc cut paste fold fmt expand unexpand rev comm cmp join column look pr
     od hexdump hd strings base32 cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum md5 shasum
     stat readlink realpath df du grep egrep fgrep zgrep zcat bzcat xzcat zstdcat diff tsort numfmt factor
     lsblk lscpu lsusb lspci lsmod findmnt free vmstat iostat mpstat uptime w who last exa eza lsd
     getfacl lsattr namei pathchk locate readelf bc ps pstree pidof pgrep pmap netstat top htop`,
    LOOKS,
  ),
  // Words go in, words come out; no file is opened.
  ...every(
    `echo basename dirname seq true false : whoami sleep expr which whereis type times exit return break continue shift
     pwd users yes tr groups id nproc arch uname tty logname locale getconf cal ncal dirs help caller tput clear getopt uuidgen apropos whatis lsb_release sw_vers`,
    TEXT,
  ),
  // Array subscripts inside these builtins' arguments are evaluated, and a subscript may hold a command.
  ...every("test [ read getopts unset let local wait", { ...TEXT, inspect: inspectVariables }),
  ...every("mapfile readarray", {
    ...TEXT,
    options: [["runs_code", "-C"]],
    valued: "dnOsuCc",
    inspect: inspectVariables,
  }),
  printf: { ...TEXT, inspect: inspectPrintf },
  set: { ...TEXT, inspect: inspectSet },
  shopt: { ...TEXT, options: [["changes_reversibly", "-s", "-u"]] },
  hash: { ...TEXT, options: [["changes_environment", "-p"]] },
  jobs: { ...TEXT, options: [["runs_code", "-x"]] },
  // Of a list of words each is expanded, and so whatever stands for a command in it is run.
  compgen: { ...TEXT, options: [["runs_code", "-C", "-F", "-W"]], valued: "AGWXPSo" },
  umask: { ...TEXT, operands: { most: 0, beyond: "changes_reversibly" } },
  ulimit: { ...TEXT, operands: { most: 0, beyond: "changes_system" } },
  history: { effect: "shows_environment", options: [["destroys", "-c", "-d", "-w", "-r"]], arguments: "text" },
  printenv: { effect: "shows_environment", arguments: "text" },
  date: {
    effect: "looks",
    options: [["changes_system", "-s", "--set"]],
    valued: "dfIr",
    longValued: ["--date", "--file", "--reference"],
    inspect: inspectDate,
  },
  hostname: {
    ...TEXT,
    options: [["changes_system", "-F", "-b", "--file", "--boot"]],
    operands: { most: 0, beyond: "changes_system" },
  },

  base64: { effect: "looks", options: [OUTPUT], valued: "wbiD" },
  bat: {
    effect: "looks",
    options: [["runs_code", "--pager", "--diff"]],
    inspect: (args) => (args.some((word) => word.value === "cache") ? "writes_files" : "looks"),
  },
  dmesg: {
    effect: "looks",
    options: [
      ["changes_system", "-c", "-C", "-D", "-E", "-n", "--clear", "--read-clear"],
      ["changes_system", "--console-off", "--console-on", "--console-level"],
    ],
    valued: "FKlfs",
  },
  fd: { effect: "looks", options: [["runs_code", "-x", "-X", "--exec", "--exec-batch"]], valued: "detESocjC" },
  file: { effect: "looks", options: [["writes_files", "-C", "--compile"]], valued: "mfFeP" },
  find: { effect: "looks", singleDash: true, inspect: inspectFind },
  getent: {
    effect: "looks",
    valued: "s",
    flags: "-i --no-idn",
    subcommands: every("shadow gshadow", { effect: "reads_secret" }),
  },
  iconv: { effect: "looks", options: [OUTPUT], valued: "ft" },
  journalctl: {
    effect: "looks",
    options: [
      ["destroys", "--vacuum-size", "--vacuum-time", "--vacuum-files"],
      ["changes_system", "--rotate", "--flush", "--relinquish-var", "--sync", "--setup-keys", "--update-catalog"],
      ["writes_files", "--cursor-file"],
    ],
  },
  jq: { effect: "looks", inspect: inspectJq },
  less: {
    effect: "looks",
    options: [
      ["writes_files", "-o", "-O", "--log-file", "--LOG-FILE"],
      ["runs_code", "+", "-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"],
    ],
    valued: "bhjptTxyzPD",
  },
  lsof: { effect: "looks", options: [["writes_files", "-D"]], valued: "cdFgiprSTuk" },
  man: {
    effect: "looks",
    options: [["runs_code", "-P", "-H", "-C", "-p", "--pager", "--html", "--config-file", "--preprocessor"]],
    valued: "LRmMSsEre",
  },
  more: { effect: "looks", options: [["runs_code", "+"]] },
  nm: { effect: "looks", options: [["runs_code", "--plugin"]] },
  rg: { effect: "looks", options: [["runs_code", "--pre", "--hostname-bin"]] },
  shuf: { effect: "looks", options: [OUTPUT], valued: "ni" },
  sort: { effect: "looks", options: [OUTPUT, ["runs_code", "--compress-program"]], valued: "kStT" },
  ss: {
    effect: "looks",
    options: [
      ["changes_system", "-K", "--kill"],
      ["writes_files", "-D", "--diag"],
    ],
    valued: "FfA",
  },
  tree: { effect: "looks", options: [OUTPUT, ["writes_files", "-R"]], valued: "LPIHT" },
  uniq: { effect: "looks", valued: "fsw", operands: { most: 1, beyond: "writes_files" } },
  xxd: { effect: "looks", valued: "closgRn", operands: { most: 1, beyond: "writes_files" } },
  yq: {
    effect: "looks",
    options: [
      ["writes_files", "-i", "--inplace", "-s", "--split-exp"],
      ["runs_code", "--security-enable-system-operator"],
    ],
    valued: "Iop",
    inspect: inspectYq,
  },
  zless: { effect: "looks", options: [["runs_code", "+"]] },
  ag: { effect: "looks", options: [["runs_code", "--pager"]] },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  sed: SED,
  gsed: SED,
};
