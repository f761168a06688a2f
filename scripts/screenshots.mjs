// npm run screenshots [-- <folder>]: pictures of every page, light and dark, desk and phone, English and Chinese. They are drawn by a
// real browser from a real server, so that whoever changes a page can look at all of them.
import { resolve } from "node:path";
import { handOver, main, ROOT, tool } from "./setup/process.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  await setUp({ need: ["chromium", "fonts-noto-cjk"] });
  const folder = resolve(process.argv[2] ?? `${ROOT}/screenshots`);
  console.error(`screenshots: into ${folder}`);
  return handOver([tool("vitest"), "run", "test/web/screenshots.test.ts"], {
    ...process.env,
    COUNTERSIGN_SCREENSHOTS: folder,
  });
});
