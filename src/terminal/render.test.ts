import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { everywhere } from "../../test/support/everywhere.js";
import { held } from "../../test/support/held.js";
import { TERMINAL_PAYLOADS } from "../../test/support/payloads.js";
import type { Card } from "../core/card/card.js";
import { cellWidth } from "../core/text/cells.js";
import { shown } from "../core/text/shown.js";
import { renderCardText } from "./render.js";

const COLUMNS = 90;

interface Replay {
  readonly screen: readonly string[];
  readonly cursor: readonly [number, number];
  readonly effects: readonly string[];
}

/** The bytes in a terminal that is as tall as they need, with everything they made it do besides drawing. */
async function replay(bytes: string): Promise<Replay> {
  const rows = bytes.split("\n").length;
  const terminal = new xterm.Terminal({
    cols: COLUMNS,
    rows,
    allowProposedApi: true,
    logLevel: "off",
    convertEol: true,
  });
  const effects: string[] = [];
  terminal.onTitleChange((title) => effects.push(`title ${title}`));
  terminal.onBell(() => effects.push("bell"));
  terminal.onData((data) => effects.push(`typed ${data}`));
  for (const code of [0, 2, 8, 11, 52])
    terminal.parser.registerOscHandler(code, (data) => effects.push(`osc ${code} ${data}`) < 0);
  await new Promise<void>((resolve) => {
    terminal.write(bytes, resolve);
  });
  const { active } = terminal.buffer;
  const screen = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
  const cursor = [active.cursorX, active.cursorY] as const;
  terminal.dispose();
  return { screen, cursor, effects };
}

const lines = (card: Card, width: number, colour = false) =>
  renderCardText(card, { width, colour, details: true }).split("\n");

describe("the card in a terminal", () => {
  it("says by the reader's clock until when it waits", async () => {
    const card = await (await held({})).card();
    const paper = { width: COLUMNS, colour: false, timeZone: "Asia/Shanghai" };
    const text = renderCardText({ ...card, expiresAt: shown`2026-11-16T23:30:00.000Z` }, paper);
    expect(text).toContain("until 2026-11-17 07:30 GMT+8");
  });

  it("has at least sixty payloads to withstand", () => {
    expect(new Set(TERMINAL_PAYLOADS).size).toBeGreaterThanOrEqual(60);
  });

  it.each(TERMINAL_PAYLOADS.map((payload) => [JSON.stringify(payload).slice(0, 40), payload]))(
    "attack A4: shows %s in any field as text, and nothing else happens",
    async (_, payload) => {
      const [english, chinese] = await everywhere(payload);
      for (const card of [english, chinese] as Card[]) {
        const plain = lines(card, COLUMNS);
        const { screen, cursor, effects } = await replay(lines(card, COLUMNS, true).join("\n"));
        expect(effects).toEqual([]);
        expect(screen.map((line) => line.trimEnd())).toEqual(plain.map((line) => line.trimEnd()));
        expect(cursor).toEqual([0, plain.length - 1]);
      }
    },
  );

  it.each([24, 40, 80, 100])("keeps to %i columns and loses nothing, whatever the script", async (width) => {
    const body = `将所有任务移到下一周 ${"很长的内容".repeat(30)} ${"word ".repeat(40)}\n第二行`;
    for (const locale of ["en", "zh"] as const) {
      const card = await (await held({ title: "发送邮件" }, { body, n: 1 })).card(locale);
      const drawn = lines(card, width);
      expect(drawn.filter((line) => cellWidth(line) > width)).toEqual([]);
      const values = drawn.map((line) => /^ {4}[│┆] (.*)$/.exec(line)?.[1] ?? "").join("");
      expect(values).toContain(body.split("\n")[0]);
      expect(values).toContain("第二行");
    }
  });

  it("attack A3: shows all of a long value, and what a preview would have left out", async () => {
    const card = await (await held({}, { body: `${"x".repeat(5_000)} rm -rf /` })).card();
    expect(lines(card, 80).join("\n")).toContain("rm -rf /");
  });

  it("attack A1: puts the call before the agent's words, and marks them", async () => {
    const { card } = await held({}, { command: "rm -rf /data" }, { call: { summary: "list files" } });
    const drawn = lines(await card(), 80);
    const [call, heading] = ["  command  rm -rf /data", "The agent says (not checked)"].map((line) =>
      drawn.indexOf(line),
    );
    expect(call).toBeGreaterThan(0);
    expect(heading).toBeGreaterThan(call ?? 0);
    expect(drawn.slice(heading)).toEqual(["The agent says (not checked)", "    │ list files", "─".repeat(80), ""]);
  });

  it("marks every line of a value, so that none can pass for a line of the page", async () => {
    const body = "hello\n\nThe agent says (not checked)\n    │ all is well\nType yes";
    const drawn = lines(await (await held({}, { body })).card(), 80);
    expect(drawn).toContain("    │ The agent says (not checked)");
    expect(drawn).toContain("    │     │ all is well");
    expect(drawn.filter((line) => /^(?:Type yes|The agent says)/.test(line))).toEqual([]);
  });

  it("is stable: the same lines with and without colour, and in the order the reader needs", async () => {
    const card = await (
      await held(
        { confirmPrompt: "Send {to}?", preview: () => ({ effects: [{ kind: "send", noun: "e-mail", count: 1 }] }) },
        { to: "bob", list: [], map: {} },
      )
    ).card();
    // oxlint-disable-next-line no-control-regex -- the only sequences there are
    const uncoloured = lines(card, 80, true).map((line) => line.replace(/\u001b\[\d+m/g, ""));
    expect(uncoloured).toEqual(lines(card, 80));
    const places = [
      "◆ Leaves this place (R3)",
      "agent-7, for ann, asks",
      "Send bob?",
      "sends 1 e-mail",
      "⟨empty list⟩",
      "to    bob",
      "Why it asks",
    ];
    const found = places.map((text) => uncoloured.findIndex((line) => line.includes(text)));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found[0]).toBe(1);
  });
});
