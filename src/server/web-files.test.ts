import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { WebIncoming } from "./http/incoming.js";
import { responseOf } from "./http/respond.js";
import { webFiles } from "./web-files.js";

function pages() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "site", "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.js"), "secret");
  writeFileSync(join(folder, "site", "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "site", "assets", "app-1a2b.js"), "run()");
  const serve = webFiles(join(folder, "site"));
  return async (path: string, headers = {}) => {
    const sent = await serve(new WebIncoming(new Request(`http://localhost${path}`, { headers })));
    return sent && responseOf(sent);
  };
}

it("gives the app for every address of a page, never kept and with a strict policy", async () => {
  const page = await pages()("/approvals/0190");
  expect(await page?.text()).toBe("<!doctype html>");
  expect(page?.headers.get("cache-control")).toBe("no-store");
  expect(page?.headers.get("content-security-policy")).toContain("script-src 'self'");
});

it("gives built files for ever, compressed for those who take it", async () => {
  const get = pages();
  expect((await get("/assets/app-1a2b.js"))?.headers.get("cache-control")).toContain("immutable");
  const small = await get("/assets/app-1a2b.js", { "accept-encoding": "gzip, br" });
  expect(small?.headers.get("content-encoding")).toBe("gzip");
});

it("attack: leads out of its folder by no spelling, and answers for no address of a program", async () => {
  const get = pages();
  for (const path of ["/..%2fsecret.js", "/%2e%2e/secret.js", "/assets/..%5c..%5csecret.js", "/%00", "/%"]) {
    const answer = await get(path).catch(() => undefined);
    expect(await answer?.text()).not.toBe("secret");
  }
  for (const path of ["/v1/nothing", "/agent/nothing", "/openapi.json", "/metrics"])
    expect(await get(path)).toBe(undefined);
});
