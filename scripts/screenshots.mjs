// npm run screenshots [-- <folder>] [--docs]: pictures of every page, light and dark, desk and phone, English and Chinese. They are
// drawn by a real browser from a real server, so that whoever changes a page can look at all of them. With --docs those that the
// guides show are replaced by the new ones.
import { copyFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { handOver, main, ROOT, tool } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

/** What the guides show, and which picture it is. */
const IN_DOCS = {
  "inbox.png": "en-light-desk/card.png",
  "phone.png": "en-light-phone/card-irreversible.png",
  "phone-zh.png": "zh-dark-phone/card.png",
};

await main(async () => {
  await setUp({ need: ["chromium", "fonts-noto-cjk"], required: true });
  const named = process.argv.slice(2).find((word) => !word.startsWith("--"));
  const folder = resolve(named ?? `${ROOT}/screenshots`);
  console.error(`screenshots: into ${folder}`);
  const code = await handOver([tool("vitest"), "run", "test/web/screenshots.test.ts"], {
    ...process.env,
    COUNTERSIGN_SCREENSHOTS: folder,
  });
  if (code !== 0 || !process.argv.includes("--docs")) return code;
  for (const [to, from] of Object.entries(IN_DOCS)) await copyFile(join(folder, from), join(ROOT, "docs/images", to));
  return 0;
});
