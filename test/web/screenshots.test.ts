import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { playScenes } from "./play-scenes.js";
import { openStage, type Stage } from "./stage.js";
import { closeBrowser } from "./world.js";

/** `npm run screenshots` says where they go, and may name some scenes; without it nothing is drawn. */
const folder = process.env["COUNTERSIGN_SCREENSHOTS"];
const only = new RegExp(process.env["COUNTERSIGN_SCENES"] ?? "");

const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

describe.runIf(folder !== undefined)("pictures of every page", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => {
    await stage.close();
    await closeBrowser();
  });

  const looks = (["en", "zh"] as const).flatMap((locale) =>
    (["light", "dark"] as const).flatMap((colorScheme) =>
      (["desk", "phone"] as const).map((size) => ({ locale, colorScheme, size })),
    ),
  );

  it.each(looks)("$locale $colorScheme $size", { timeout: 600_000 }, async ({ locale, colorScheme, size }) => {
    const to = join(folder ?? "", `${locale}-${colorScheme}-${size}`);
    await mkdir(to, { recursive: true });
    const options = { colorScheme, ...(size === "desk" ? DESK : PHONE) };
    await playScenes(
      stage,
      { locale, options },
      async ({ name }, { page }) => {
        await settled(page);
        await page.screenshot({ path: join(to, `${name}.png`) });
      },
      ({ name }) => only.test(name),
    );
  });
});

/** Fonts are there, and the moment in which nothing can be pressed is over. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => setTimeout(resolve, 700));
  });
}
