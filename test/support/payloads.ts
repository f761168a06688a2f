const ESC = "\u001b";
const BEL = "\u0007";
const ST = `${ESC}\\`;

const sequences = (words: string): readonly string[] => words.split(" ").map((word) => `safe${ESC}${word}rm -rf /`);

/** What an attacker sends instead of text: each would move, hide, restyle or speak to a terminal that believes it. */
export const TERMINAL_PAYLOADS: readonly string[] = [
  ...sequences(
    "[2J [H [1;1H [10A [3B [5C [40D [2K [1K [0J [3J [5G [4d [2E [s [u [2P [3@ [4X [2L [2M [3S [3T [2;5r 7 8 c D E M #8",
  ),
  ...sequences("[31m [8m [7m [30;40m [38;2;0;0;0m [?25l [?1049h [?7l [?6h [4h [20h [?1000h [?2004h (0 = [0q"),
  ...sequences("[6n [5n [c [>c [21t Z"),
  `${ESC}]0;owned${BEL}`,
  `${ESC}]2;owned${ST}`,
  `${ESC}]8;;https://evil.example${ST}approve${ESC}]8;;${ST}`,
  `${ESC}]52;c;cm0gLXJmIC8=${BEL}`,
  `${ESC}]11;?${BEL}`,
  `${ESC}P$qm${ST}`,
  `${ESC}_Gf=24;AAAA${ST}`,
  `${ESC}^x${ST}`,
  "deny\rallow",
  "deny\b\b\b\ballow",
  "a\u000b\u000c\u0000b",
  BEL,
  "\u000e\u000f",
  "\u009b2J\u009b31m",
  "\u009d0;owned\u009c",
  "\u0090$qm\u009c",
  "\u0084\u0085\u008d",
  `${"\n".repeat(500)}Approved`,
  `${" ".repeat(10_000)}rm -rf /`,
  `${ESC}[`,
  `31m${ESC}`,
];
