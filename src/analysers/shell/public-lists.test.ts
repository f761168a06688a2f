import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { atLeast } from "../../core/risk.js";
import { analyseShell } from "./index.js";

const GTFOBINS = "../shared/data/commands-gtfobins.json";
const TLDR = "../shared/data/commands-tldr.json";

function load(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

// Judged by the text alone, without the tables under test: what a break-out starts, reaches, loads or writes.
const BREAKS_OUT =
  /\/bin\/sh|attacker|\/path\/to\/command|lib\.so|system\(|exec|output|temp-file|DATA|spawn|\.\.\.|!|chmod/;

describe.skipIf(!existsSync(GTFOBINS))("GTFOBins list (attack A2)", () => {
  it("rates every break-out R3 or higher and lets only plain reads of one named file pass below", async () => {
    const low: string[] = [];
    for (const { code } of load(GTFOBINS) as { code: string }[]) {
      const { riskTier } = await analyseShell(code);
      const plainRead = !BREAKS_OUT.test(code) && code.includes("/path/to/input-file");
      if (!atLeast(riskTier, "R3") && (riskTier !== "R0" || !plainRead)) low.push(`${riskTier} ${code}`);
    }
    expect(low).toEqual([]);
  });
});

// Written by hand from what the words mean to a person, independent of the command tables.
const WRITING_PROGRAMS = new Set(
  `rm mv cp ln dd tee touch mkdir rmdir chmod chown chgrp kill pkill killall shred truncate install patch rsync scp sftp ssh
   curl wget nc ncat socat telnet ftp ping dig nslookup whois sudo su doas chroot mount umount mkfs fdisk parted useradd
   userdel usermod passwd crontab at batch shutdown reboot halt poweroff make cmake gcc g++ clang go cargo rustc javac java
   python python3 perl ruby node php lua npx vim vi nano emacs ed tmux screen zip 7z split csplit dos2unix unix2dos rename
   mktemp mkfifo mknod alias source eval export psql mysql sqlite3 redis-cli mongo terraform ansible vagrant ffmpeg convert
   magick pandoc latex pdflatex gpg openssl ssh-keygen tcpdump nmap iptables ufw modprobe insmod rmmod`.split(/\s+/),
);
const WRITING_WORDS = new Set(
  `install uninstall remove delete create add set update upgrade push pull clone commit exec start stop restart enable
   disable upload download publish deploy apply edit write format reset restore merge rebase checkout switch init import
   save build login logout attach detach copy move sync kill prune clean purge flush reload mask unmask destroy`.split(
    /\s+/,
  ),
);
const WRITING_OPTIONS =
  /^(--(output|out|in-place|inplace|delete|exec|exec-batch|write|save|install|remove|set|fix|force|apply|upload|data|output-file|output-directory)(=|$)|-delete|-exec|-execdir|-fprint)/;
// Reads by their own manual, where a word above means something else.
const READS_NEVERTHELESS = /--version$|^(git blame|lsblk --output|tr) |^mount$/;

describe.skipIf(!existsSync(TLDR))("tldr list (attack A2)", () => {
  it("never throws and rates nothing R0 whose words say that it writes, deletes, sends or runs code", async () => {
    const wrong: string[] = [];
    let looking = 0;
    for (const command of load(TLDR) as string[]) {
      if ((await analyseShell(command)).riskTier !== "R0") continue;
      looking++;
      if (soundsLikeWriting(command)) wrong.push(command);
    }
    expect(looking).toBeGreaterThan(300);
    expect(wrong).toEqual([]);
  });
});

function soundsLikeWriting(command: string): boolean {
  const bare = command.replace(/'[^']*'|"[^"]*"/g, "TEXT").replace(/\d?>+ ?(\/dev\/null|&\d)/g, "");
  if (READS_NEVERTHELESS.test(command)) return false;
  if (/>/.test(bare)) return true;
  return bare.split(/[|;&\n]+/).some((part) => {
    const words = part.trim().split(/\s+/);
    return (
      WRITING_PROGRAMS.has(words[0] ?? "") ||
      words.slice(1, 3).some((word) => WRITING_WORDS.has(word)) ||
      words.some((word) => WRITING_OPTIONS.test(word))
    );
  });
}
