// node docs/images/demo.mjs: runs the demo in a terminal and draws what stands there as docs/images/demo.svg.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const [COLUMNS, ROWS] = [92, 46];
const [CELL_WIDTH, CELL_HEIGHT, MARGIN] = [8.4, 18, 24];
// The paper, ink and inks of the product.
const PAPER = "#FAF8F4";
const INK = "#1B1D21";
const INKS = new Map([
  [1, "#B3261E"],
  [2, "#1F4B8F"],
  [3, "#8A5A00"],
  [4, "#1F4B8F"],
  [6, "#1F4B8F"],
  [8, "#5F636B"],
]);

const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
const demo = spawn(process.execPath, [fileURLToPath(new URL("../../dist/cli/demo.js", import.meta.url))], {
  cols: COLUMNS,
  rows: ROWS,
  env: { ...process.env, TERM: "xterm-256color" },
});
const prompt = "anything else refuses";
await new Promise((resolve) => {
  let seen = "";
  demo.onData((data) => {
    seen += data;
    terminal.write(data, () => seen.includes(prompt) && resolve(undefined));
  });
});
demo.kill();

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Runs of cells that look alike, each one text element. @param {number} row */
function* runsOf(row) {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row);
  let run = { text: "", column: 0, style: "" };
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line?.getCell(column);
    const ink = cell?.isFgPalette() ? (INKS.get((cell.getFgColor() ?? 0) % 10) ?? INK) : INK;
    const style = `fill="${cell?.isDim() ? "#5F636B" : ink}"${cell?.isBold() ? ' font-weight="600"' : ""}`;
    if (style !== run.style) {
      if (run.text.trim() !== "") yield run;
      run = { text: "", column, style };
    }
    run.text += cell?.getChars() || " ";
  }
  if (run.text.trim() !== "") yield run;
}

const lines = Array.from({ length: ROWS }, (_, row) =>
  [...runsOf(row)].map(({ text, column, style }) => {
    const [x, y] = [MARGIN + column * CELL_WIDTH, MARGIN + (row + 0.8) * CELL_HEIGHT];
    return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" xml:space="preserve" ${style}>${escaped(text.trimEnd())}</text>`;
  }),
).flat();
const [width, height] = [COLUMNS * CELL_WIDTH + 2 * MARGIN, ROWS * CELL_HEIGHT + 2 * MARGIN];
const svg = [
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
  `<rect width="${width}" height="${height}" rx="10" fill="${PAPER}" stroke="#D9D4CA"/>`,
  ...lines,
  "</svg>",
];
writeFileSync(new URL("demo.svg", import.meta.url), `${svg.join("\n")}\n`);
