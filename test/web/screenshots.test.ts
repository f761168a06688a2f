import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, it } from "vitest";
import { fillInbox } from "./sample-inbox.js";
import { closeBrowser, openWebWorld } from "./world.js";

/** `npm run screenshots` says where they go; without it nothing is drawn. */
const folder = process.env["COUNTERSIGN_SCREENSHOTS"];

const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

afterAll(closeBrowser);

describe.runIf(folder !== undefined)("pictures of every page", () => {
  const variants = (["en", "zh"] as const).flatMap((locale) =>
    (["light", "dark"] as const).flatMap((look) =>
      (["desk", "phone"] as const).map((size) => ({ locale, look, size })),
    ),
  );

  it.each(variants)("$locale $look $size", { timeout: 120_000 }, async ({ locale, look, size }) => {
    const world = await openWebWorld();
    const { page, context } = await world.signedIn({
      locale: locale === "zh" ? "zh-CN" : "en-GB",
      colorScheme: look,
      viewport: SIZES[size],
      ...(size === "phone" ? { isMobile: true, hasTouch: true, deviceScaleFactor: 2 } : {}),
    });
    const to = join(folder ?? "", `${locale}-${look}-${size}`);
    await mkdir(to, { recursive: true });
    const shoot = async (name: string, path?: string) => {
      if (path !== undefined) await page.goto(`${world.url}${path}`);
      await settled(page);
      await page.screenshot({ path: join(to, `${name}.png`) });
    };
    await shoot("inbox-empty");
    const { mail, clear, long, group, failed } = await fillInbox(world);
    await shoot("inbox", "/");
    await shoot("card", `/approvals/${mail}`);
    await shoot("card-irreversible", `/approvals/${clear}`);
    await shoot("card-long", `/approvals/${long}`);
    await shoot("card-full", `/approvals/${long}/full`);
    await shoot("group", `/group/${group}`);
    await shoot("decided", `/approvals/${failed}`);
    await shoot("timeline", `/audit/${failed}`);
    await shoot("history", "/history");
    for (const section of [
      "apps",
      "grants",
      "privacy",
      "notifications",
      "security",
      "people",
      "developer",
      "display",
    ]) {
      await shoot(`settings-${section}`, `/settings/${section}`);
    }
    await page.goto(`${world.url}/approvals/${mail}`);
    await page.getByRole("button", { name: /^(Edit|修改)$/ }).click();
    await shoot("edit");
    await page.goto(`${world.url}/approvals/${mail}`);
    await context.setOffline(true);
    await page
      .getByText(/^(Offline|已离线)/)
      .first()
      .waitFor();
    await shoot("offline");
    await context.setOffline(false);
    await context.clearCookies();
    await shoot("sign-in", "/sign-in");
  });
});

/** Fonts are there, queries have answered, and the moment in which nothing can be pressed is over. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => setTimeout(resolve, 700));
  });
}
