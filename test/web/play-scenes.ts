import type { Page } from "playwright-core";
import { SCENES, type Scene, WORDS } from "./scenes.js";
import type { Stage } from "./stage.js";
import type { Visitor } from "./world.js";

/** Plays scenes one after the other in one look. `looked` is told each while it stands. */
export async function playScenes(
  stage: Stage,
  look: { readonly locale: "en" | "zh"; readonly options: object },
  looked: (scene: Scene, visitor: Visitor) => Promise<void>,
  only: (scene: Scene) => boolean = () => true,
): Promise<readonly string[]> {
  const options = { ...look.options, locale: look.locale === "zh" ? "zh-CN" : "en-GB" };
  const visit = stage.onlooker(options);
  const wrongs = new Set<string>();
  for (const scene of SCENES.filter(only)) {
    const world = stage.worlds[scene.at];
    const visitor = scene.stranger === true ? await world.device(options) : await visit(scene.at);
    const go = (path: string) => follow(visitor.page, `${world.url}${path}`);
    const scenery = { page: visitor.page, go, words: WORDS[look.locale], stage, url: world.url };
    try {
      await scene.open(scenery);
      await looked(scene, visitor);
      await scene.after?.(scenery, visitor);
    } catch (error) {
      throw new Error(`Scene ${scene.name}: ${(error as Error).message}`, { cause: error });
    }
    for (const wrong of visitor.wrongs) wrongs.add(`${scene.name}: ${wrong}`);
    visitor.wrongs.length = 0;
    if (scene.stranger === true) await visitor.context.close();
  }
  return [...wrongs];
}

/** The app is loaded once for each browser; from then on links are followed in it, by way of a page that has nothing on it. */
async function follow(on: Page, address: string): Promise<void> {
  if (new URL(on.url()).origin !== new URL(address).origin) return void (await on.goto(address));
  await on.evaluate(async (to) => {
    for (const place of ["/nothing-here", to]) {
      history.pushState(null, "", place);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  }, address);
}
