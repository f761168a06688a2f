import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { isCi } from "../../scripts/setup/system-packages.mjs";
import { type Caller, createGate, type Gate, type GateOptions, memoryStore, type ToolCall } from "../../src/index.js";
import { type Mount, type ServeOptions, serve } from "../../src/server/index.js";
import { type Ran, sampleTools } from "./tools.js";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Without a browser these tests are skipped; in CI that is a failure, never a skip. */
export const HAS_BROWSER = existsSync(CHROMIUM);
if (!HAS_BROWSER && isCi(process.env["CI"])) throw new Error("chromium is not installed; in CI no test may skip");

export const BUILT = fileURLToPath(new URL("../../dist/web", import.meta.url));
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The owner whom `serve` creates, and an agent that works for them. */
const CALLER: Caller = {
  userId: "ann",
  workspaceId: "home",
  agentId: "planner",
  sessionId: "morning",
  surface: "api",
};

export type WebWorld = Awaited<ReturnType<typeof startWebWorld>>;
export type Visitor = Awaited<ReturnType<WebWorld["device"]>>;

let browser: Promise<Browser> | undefined;

/** One Chromium for each test file. */
function theBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

export interface WebOptions {
  readonly gate?: Partial<GateOptions>;
  readonly serve?: ServeOptions;
  /** What else answers at the same address, made around the world's gate. */
  readonly mounts?: (gate: Gate) => readonly Mount[];
}

/** A whole server that listens, with the built pages, and browsers that open them; until the test is over. */
export async function openWebWorld(options: WebOptions = {}): Promise<WebWorld> {
  const world = await startWebWorld(options);
  onTestFinished(world.close);
  return world;
}

/** The same for several tests: whoever starts it closes it. */
export async function startWebWorld(options: WebOptions = {}) {
  if (!existsSync(BUILT)) throw new Error("The pages are not built: run node scripts/setup.mjs first.");
  const ran: Ran[] = [];
  const gate = createGate({ store: memoryStore(), tools: sampleTools(ran), caller: CALLER, ...options.gate });
  const mounts = options.mounts?.(gate) ?? [];
  const served = await serve(gate, { port: 0, web: BUILT, mounts, ...options.serve });
  const { closeVisitors, ...visitors } = visitorsOf(served);

  const ask = async (tool: string, args: unknown, more: Partial<ToolCall> = {}, caller: Partial<Caller> = {}) => {
    const outcome = await gate.submit({ tool, args, ...more }, { ...CALLER, ...caller });
    if (outcome.type !== "pending") throw new Error(`It did not ask: ${JSON.stringify(outcome)}`);
    return outcome;
  };

  const close = async () => {
    await closeVisitors();
    await served.close();
  };
  return { gate, served, url: served.url, ran, ...visitors, ask, close };
}

/** Browsers that open the pages of a server. */
function visitorsOf(served: { readonly url: string; signInLink(): Promise<string> }) {
  const contexts: BrowserContext[] = [];
  const closeVisitors = async () => {
    await Promise.all(contexts.map((context) => context.close()));
  };

  /** A browser of its own, with everything it did that it should not. */
  const device = async (more: BrowserContextOptions = {}) => {
    const context = await (await theBrowser()).newContext({
      locale: "en-GB",
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      // That the app is kept for use without a network has a test of its own; every other browser would only fill its cache.
      serviceWorkers: "block",
      ...more,
    });
    contexts.push(context);
    const page = await context.newPage();
    return { context, page, wrongs: watch(page, served.url) };
  };

  /** The same, signed in as the owner. */
  const signedIn = async (more: BrowserContextOptions = {}) => {
    const opened = await device(more);
    // The link's own page has tests of its own: here its token is spent as that page spends it.
    const token = new URL(await served.signInLink()).hash.slice("#t=".length);
    const headers = { origin: served.url };
    const redeemed = await opened.context.request.post(`${served.url}/v1/auth/link`, { data: { token }, headers });
    expect(redeemed.status(), await redeemed.text()).toBe(200);
    await opened.page.goto(served.url);
    await opened.page.getByRole("heading", { name: /^(Inbox|待处理)$/ }).waitFor();
    return opened;
  };

  return { device, signedIn, closeVisitors };
}

/** The button that says yes, once everything was read to its end and it can be pressed. */
export async function armed(page: Page, name: string | RegExp): Promise<Locator> {
  const button = page.getByRole("button", { name });
  await expect
    .poll(
      async () => {
        for (const pane of await page.locator("[data-scroll], [role=dialog], [role=log]").all()) {
          await pane.evaluate(readThrough);
        }
        return button.getAttribute("aria-disabled");
      },
      { timeout: 10_000 },
    )
    .toBe("false");
  return button;
}

/** What is on the page has been drawn, and what waits for the moment after that has happened: nobody is faster. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))),
  );
}

/** Scrolls to the end as a reader does: by half a screen, so that every part was on it. */
async function readThrough(pane: HTMLElement | SVGElement): Promise<void> {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  for (let top = pane.scrollTop; top < pane.scrollHeight; top += Math.max(50, pane.clientHeight / 2)) {
    pane.scrollTo(0, top);
    await nextFrame();
  }
  pane.scrollTo(0, pane.scrollHeight);
}

/** A platform authenticator whose owner always touches it. */
export async function withAuthenticator(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Scripts that ran or failed, breaches of the content security policy, and requests to anybody but us. */
function watch(page: Page, url: string): string[] {
  const wrongs: string[] = [];
  page.on("pageerror", (error) => wrongs.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) wrongs.push(`policy: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && !["data:", "blob:"].includes(protocol)) wrongs.push(`foreign request: ${request.url()}`);
  });
  return wrongs;
}
