import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { escapeText } from "./escape.js";
import { inspectText } from "./inspect.js";
import { paint, type Span, terminalSafe, wantsColour } from "./terminal.js";

const ESC = "\u001b";
const BEL = "\u0007";
const ST = `${ESC}\\`;

/** What an attacker sends instead of text, by what it does to a terminal that believes it. */
const PAYLOADS: Readonly<Record<string, readonly string[]>> = {
  "cursor and screen": (
    "[2J [H [1;1H [10A [3B [5C [40D [2K [1K [0J [3J [5G [4d [2E [2F [s [u [2P [3@ [4X [2L [2M [3S [3T [5b [2;5r " +
    "7 8 c D E M #8 [!p"
  )
    .split(" ")
    .map((sequence) => `safe${ESC}${sequence}rm -rf /`),
  "style and modes":
    "[31m [8m [7m [30;40m [38;2;0;0;0m [?25l [?1049h [?47h [?7l [?6h [4h [20h [?1000h [?2004h [?5h (0 )0 = > [0q"
      .split(" ")
      .map((sequence) => `safe${ESC}${sequence}rm -rf /`),
  "title, links, clipboard, palette": [
    `${ESC}]0;owned${BEL}`,
    `${ESC}]2;owned${ST}`,
    `${ESC}]1;owned${BEL}`,
    `${ESC}]8;;https://evil.example${ST}approve${ESC}]8;;${ST}`,
    `${ESC}]52;c;cm0gLXJmIC8=${BEL}`,
    `${ESC}]52;c;?${BEL}`,
    `${ESC}]4;1;rgb:00/00/00${BEL}`,
    `${ESC}]10;#000000${BEL}`,
    `${ESC}]11;?${BEL}`,
    `${ESC}]133;A${ST}`,
    `${ESC}]1337;File=inline=1:AAAA${BEL}`,
    `${ESC}]9;notify${BEL}`,
  ],
  "reports that type for the user": ["[6n", "[5n", "[c", "[>c", "[=c", "[21t", "[18t", "[?6n", "[?15n", "Z", "[x"].map(
    (sequence) => `${ESC}${sequence}`,
  ),
  "device strings": [
    `${ESC}P$qm${ST}`,
    `${ESC}P+q544e${ST}`,
    `${ESC}Pq#0;2;0;0;0~${ST}`,
    `${ESC}_Gf=24;AAAA${ST}`,
    `${ESC}^x${ST}`,
    `${ESC}Xx${ST}`,
  ],
  "single characters": [
    "deny\rallow",
    "deny\b\b\b\ballow",
    "a\u000bb",
    "a\u000cb",
    "a\tb",
    "a\nb",
    BEL,
    "\u000e\u000f",
    "\u0005",
    "\u007f",
    "a\u0000b",
  ],
  "8-bit controls": [
    "\u009b2J",
    "\u009b31mred",
    "\u009b6n",
    "\u009d0;owned\u009c",
    "\u009d52;c;cm0=\u009c",
    "\u0090$qm\u009c",
    "\u0084\u0085\u008d",
    "\u0098x\u009c",
    "\u009ex\u009c",
    "\u009fx\u009c",
  ],
  "split across fields": [ESC, `${ESC}[`, `${ESC}]0;`, `31m${ESC}`],
};
const ALL = Object.values(PAYLOADS).flat();

interface Replay {
  readonly screen: readonly string[];
  readonly cursor: readonly [column: number, row: number];
  /** Titles set, clipboard writes, bells, and whatever the terminal typed back. */
  readonly effects: readonly string[];
  readonly modes: string;
  readonly isPlain: boolean;
}

async function replay(bytes: string): Promise<Replay> {
  const terminal = new xterm.Terminal({ cols: 200, rows: 8, allowProposedApi: true, logLevel: "off" });
  const effects: string[] = [];
  terminal.onTitleChange((title) => effects.push(`title ${title}`));
  terminal.onBell(() => effects.push("bell"));
  terminal.onData((data) => effects.push(`typed ${JSON.stringify(data)}`));
  for (const code of [0, 1, 2, 4, 8, 9, 10, 11, 52, 133, 1337]) {
    terminal.parser.registerOscHandler(code, (data) => effects.push(`osc ${code} ${data}`) < 0);
  }
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const buffer = terminal.buffer.active;
  const rows = Array.from({ length: buffer.length }, (_, index) => buffer.getLine(index));
  const cells = Array.from({ length: 200 }, (_, column) => rows[0]?.getCell(column));
  const result: Replay = {
    screen: rows.map((row) => row?.translateToString(true) ?? "").filter((text) => text !== ""),
    cursor: [buffer.cursorX, buffer.cursorY],
    effects,
    modes: JSON.stringify({ ...modesOf(terminal), type: buffer.type }),
    isPlain: cells.every((cell) => cell?.isAttributeDefault() ?? true),
  };
  terminal.dispose();
  return result;
}

function modesOf({ modes }: xterm.Terminal): Readonly<Record<string, unknown>> {
  const names = [
    "applicationCursorKeysMode",
    "applicationKeypadMode",
    "bracketedPasteMode",
    "insertMode",
    "mouseTrackingMode",
  ];
  const more = ["originMode", "reverseWraparoundMode", "sendFocusMode", "wraparoundMode"];
  return Object.fromEntries([...names, ...more].map((name) => [name, modes[name as keyof typeof modes]]));
}

describe("attack A4: text that speaks to the terminal", () => {
  it("has at least sixty payloads, each different", () => {
    expect(new Set(ALL).size).toBe(ALL.length);
    expect(ALL.length).toBeGreaterThanOrEqual(60);
  });

  it("would succeed if it were written as it is", async () => {
    // each of the detectors used below must be seen to fire, or those tests could not fail
    const still = await replay("");
    const fired = new Set<string>();
    for (const payload of ALL) {
      const seen = await replay(`value: ${payload}|`);
      for (const effect of seen.effects)
        fired.add(effect.split(" ")[0] === "osc" ? effect.slice(0, 6) : (effect.split(" ")[0] ?? ""));
      if (seen.cursor[1] !== 0) fired.add("cursor row");
      if (seen.screen[0]?.startsWith("value: ") !== true) fired.add("overwritten");
      if (seen.modes !== still.modes) fired.add("modes");
      if (!seen.isPlain) fired.add("style");
    }
    for (const detector of [
      "title",
      "bell",
      "typed",
      "osc 52",
      "osc 8 ",
      "cursor row",
      "overwritten",
      "modes",
      "style",
    ]) {
      expect(fired).toContain(detector);
    }
  });

  for (const [kind, payloads] of Object.entries(PAYLOADS)) {
    it.each(["escaped by the sanitiser", "raw, caught by the writer"])(
      `${kind}: shows the characters and obeys none, %s`,
      async (way) => {
        const still = await replay("");
        for (const payload of payloads) {
          const text = way.startsWith("raw") ? payload : escapeText(payload);
          const line = paint(["value: ", text, "|"], { colour: false });
          const seen = await replay(line);
          expect(seen).toEqual({ ...still, screen: [line], cursor: [line.length, 0], effects: [] });
          expect(seen.screen[0]).toBe(`value: ${way.startsWith("raw") ? terminalSafe(payload) : escapeText(payload)}|`);
        }
      },
    );
  }

  it("stays harmless in notices, which quote it", async () => {
    for (const payload of ALL) {
      for (const { text } of inspectText(payload)) expect((await replay(text)).screen).toEqual([text]);
    }
  });
});

describe("terminalSafe", () => {
  it("lets no dangerous code point of the whole of Unicode through", () => {
    const raw: string[] = [];
    for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
      const safe = terminalSafe(`a${String.fromCodePoint(codePoint)}b`);
      if (/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(safe)) raw.push(codePoint.toString(16));
    }
    expect(raw).toEqual([]);
  });

  it("leaves text that was escaped before as it is", () => {
    for (const payload of ALL) expect(terminalSafe(escapeText(payload))).toBe(escapeText(payload));
    expect(terminalSafe(escapeText(`\\n⟨x⟩${" ".repeat(20)}各`))).toBe("\\\\n\\u{27e8}x\\u{27e9}⟨20 spaces⟩各");
  });
});

describe("paint", () => {
  const spans: readonly Span[] = [
    "to: ",
    { text: `ann${ESC}[0m`, style: "vermilion" },
    "",
    { text: "", style: "bold" },
  ];

  it("writes sequences for its own styles only, and ends each", () => {
    expect(paint(spans, { colour: true })).toBe(`to: ${ESC}[31mann\\u{1b}[0m${ESC}[39m`);
    expect(paint(spans, { colour: false })).toBe("to: ann\\u{1b}[0m");
  });

  it("colours terminals, unless their owner refused", () => {
    expect(wantsColour({ isTTY: true, env: {} })).toBe(true);
    expect(wantsColour({ isTTY: true, env: { NO_COLOR: "" } })).toBe(true);
    expect(wantsColour({ isTTY: true, env: { NO_COLOR: "1" } })).toBe(false);
    expect(wantsColour({ isTTY: true, env: { TERM: "dumb" } })).toBe(false);
    expect(wantsColour({ isTTY: false, env: {} })).toBe(false);
  });
});
