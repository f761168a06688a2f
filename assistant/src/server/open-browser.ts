import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens the page in the person's browser, if there is one. Where there is none the printed link is the way. */
export function openBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  // The link goes as an argument of its own, never through a shell.
  const opener = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  opener.on("error", () => {});
  opener.unref();
}
