import type { Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { closeBrowser, startWebWorld, type Visitor, type WebOptions, type WebWorld } from "./world.js";

/** The owner in their settings, on one server for all tests of a file: there from the first to the last of them. */
export function inSettings(options: WebOptions = {}) {
  let there: { readonly world: WebWorld; readonly ann: Visitor } | undefined;
  const here = () => {
    if (there === undefined) throw new Error("Nobody is in the settings before the tests begin.");
    return there;
  };
  beforeAll(async () => {
    const world = await startWebWorld(options);
    there = { world, ann: await world.signedIn() };
  }, 120_000);
  afterAll(async () => {
    await there?.world.close();
    await closeBrowser();
  });
  return {
    get world() {
      return here().world;
    },
    get ann() {
      return here().ann;
    },
    /** Goes to one section. */
    async open(section: string): Promise<Page> {
      const { world, ann } = here();
      await ann.page.goto(`${world.url}/settings/${section}`);
      await ann.page.getByRole("heading", { level: 2 }).waitFor();
      return ann.page;
    },
  };
}
