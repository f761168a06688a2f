import {
  inspectCompressor,
  inspectCurl,
  inspectDatabaseClient,
  inspectDd,
  inspectKill,
  inspectRights,
  inspectRsync,
  inspectSysctl,
  inspectTar,
  inspectUnzip,
} from "./inspections.js";
import { type CommandRule, every } from "./rule.js";
import { isGenerated } from "./types.js";

const COMPRESSOR: CommandRule = { effect: "looks", inspect: inspectCompressor };
const SHELL: CommandRule = { effect: "looks", arguments: "text" };

/** Programs that change this machine or reach another one. */
export const WRITERS: Readonly<Record<string, CommandRule>> = {
  ...every("cd pushd popd", { effect: "changes_directory" }),
  ...every("mkdir touch mktemp disown bg fg", { effect: "changes_reversibly" }),
  ...every("export declare typeset readonly", { effect: "changes_reversibly", arguments: "text" }),
  ...every("cp mv ln tee rmdir csplit lz4 dos2unix unix2dos mkfifo", {
    effect: "writes_files",
  }),
  ...every("gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd pigz", COMPRESSOR),
  patch: { effect: "writes_files", options: [["runs_code", "-e", "--ed"]], valued: "pioFdDBYzVgr" },
  split: { effect: "writes_files", options: [["runs_code", "--filter"]] },
  // Its expression is a Perl program.
  rename: { effect: "runs_code" },
  tar: {
    effect: "looks",
    options: [
      ["runs_code", "-I", "-F", "--to-command", "--checkpoint-action", "--use-compress-program"],
      ["runs_code", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script"],
      ["destroys", "--remove-files", "--delete", "--recursive-unlink", "--unlink-first"],
      ["writes_sensitive", "-P", "--absolute-names"],
      ["writes_files", "--index-file", "-g", "--listed-incremental"],
    ],
    valued: "fCTXbHKLNV",
    inspect: inspectTar,
  },
  zip: {
    effect: "writes_files",
    options: [
      ["runs_code", "-T", "--test", "--unzip-command"],
      ["destroys", "-m", "--move", "-d", "--delete"],
    ],
  },
  unzip: {
    effect: "looks",
    inspect: inspectUnzip,
    options: [
      ["changes_rights", "-K", "-X"],
      ["writes_sensitive", "-:"],
    ],
  },
  cpio: {
    effect: "writes_unknown",
    options: [
      ["runs_code", "--rsh-command"],
      ["uses_network", "-F", "--file"],
    ],
  },
  rsync: {
    effect: "looks",
    options: [
      ["runs_code", "-e", "--rsh", "--rsync-path"],
      ["destroys", "--delete", "--del", "--remove-source-files", "--delete-after"],
    ],
    valued: "fTBM",
    inspect: inspectRsync,
  },
  // `install` copies and sets owner and mode in one step.
  install: { effect: "changes_rights" },
  ...every("chmod chown chgrp", { effect: "changes_rights", inspect: inspectRights }),
  ...every(
    "setfacl chattr chcon setcap passwd chpasswd useradd usermod groupadd gpasswd visudo chsh adduser vipw vigr",
    {
      effect: "changes_rights",
    },
  ),
  ...every(
    "rm unlink mkfs shred srm wipe truncate wipefs fdisk sfdisk cfdisk sgdisk parted gdisk mkswap badblocks blkdiscard",
    {
      effect: "destroys",
    },
  ),
  ...every("lvremove vgremove pvremove lvreduce zpool zfs cryptsetup mdadm hdparm debugfs fstrim swapoff tune2fs", {
    effect: "destroys",
  }),
  ...every("shutdown reboot halt poweroff init telinit userdel groupdel deluser delgroup dropdb dropuser kexec", {
    effect: "destroys",
  }),
  ...every("del erase rd format diskpart remove-item ri reg bcdedit vssadmin", { effect: "destroys" }),
  dd: { effect: "looks", inspect: inspectDd },
  kill: { effect: "looks", arguments: "text", inspect: inspectKill },
  ...every("pkill killall skill", {
    effect: "changes_system",
    inspect: (args) => (args.some((word) => /^-(9|KILL|SIGKILL)$/.test(word.shape)) ? "destroys" : "changes_system"),
  }),
  sysctl: { effect: "looks", inspect: inspectSysctl },
  ...every("mount ifconfig", {
    effect: "looks",
    operands: { most: 0, beyond: "changes_system" },
    options: [["changes_system", "-a", "--all"]],
  }),
  ...every("renice modprobe insmod rmmod umount swapon service chkconfig update-rc.d launchctl initctl", {
    effect: "changes_system",
  }),
  ...every("hostnamectl timedatectl localectl loginctl iptables ip6tables nft ufw firewall-cmd route nmcli at batch", {
    effect: "changes_system",
  }),
  crontab: {
    effect: "changes_system",
    options: [["destroys", "-r"]],
    inspect: (args) => (args.length === 1 && args[0]?.value === "-l" ? "looks" : "changes_system"),
  },
  // Defining an alias or a completion changes the meaning of a later, harmless looking line.
  ...every("alias unalias enable bind complete compopt", { effect: "changes_environment", arguments: "text" }),
  ...every("source .", {
    effect: "runs_code",
    inspect: (args) => (args.slice(0, 1).some(isGenerated) ? "cannot_inspect" : "runs_code"),
  }),
  fc: { effect: "runs_code" },
  trap: SHELL,

  ...every("curl http https xh httpie", { effect: "uses_network", inspect: inspectCurl }),
  ...every(
    `wget aria2c axel ping ping6 traceroute tracepath mtr dig host nslookup whois nc ncat netcat socat telnet ftp lftp sftp
     tftp scp rcp rlogin rsh nmap finger mail mailx sendmail mutt lp lpr ssh-copy-id sshfs rclone gsutil s3cmd azcopy`,
    { effect: "uses_network" },
  ),
  ...every("psql mysql mariadb sqlite3 mongo mongosh redis-cli valkey-cli duckdb clickhouse-client cqlsh sqlcmd", {
    effect: "runs_code",
    inspect: inspectDatabaseClient,
  }),
};
