import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { feishuStandIn } from "../channels/stand-ins/feishu.js";
import { CLI, Machine } from "./machine.js";

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "countersign-channels-"));
  closing.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The command with what it says so far, and its end. */
function started(args: readonly string[], data: string) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, COUNTERSIGN_DATA: data, LANG: "en_US.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  closing.push(() => void child.kill("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { said, ended };
}

const until = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 30_000, interval: 20 });

describe("countersign channels", () => {
  it("sets a platform up, sends a test card, and ends well once it was answered", async () => {
    const standIn = await feishuStandIn();
    closing.push(() => standIn.close());
    const data = folder();
    const { appId, appSecret, baseUrl } = standIn.options();
    const set = [`appId=${appId}`, `appSecret=${appSecret}`, `baseUrl=${baseUrl}`];
    const { said, ended } = started(["channels", "setup", "feishu", "--set", ...set], data);
    await until(() => expect(said.err).toContain("Write anything to the bot"));
    await standIn.say(standIn.people.ann, standIn.chats.ann, "hello");
    const card = await until(() => {
      const found = standIn.seen(standIn.chats.ann).findLast(({ buttons }) => buttons.length > 0);
      if (found === undefined) throw new Error(`no card yet: ${said.err}`);
      return found;
    });
    await standIn.click(standIn.people.ann, card.id, "Approve");
    expect(await ended).toBe(0);
    expect(said.out).toContain("It works");
    const file = join(data, "countersign.channels.yaml");
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(appId);
  });

  it("keeps other channels and comments, and takes secrets from variables", async () => {
    const data = folder();
    const file = join(data, "countersign.channels.yaml");
    writeFileSync(file, "# ours\nslack:\n  botToken: env:SLACK\n  appToken: env:APP\n");
    const args = ["channels", "setup", "telegram", "--no-test", "--set", "token=env:TELEGRAM_TOKEN"];
    expect(await started(args, data).ended).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(
      "# ours\nslack:\n  botToken: env:SLACK\n  appToken: env:APP\ntelegram:\n  token: env:TELEGRAM_TOKEN\n",
    );
  });

  it.each([
    [["channels", "setup", "icq"], "There is no channel"],
    [["channels", "setup", "feishu"], "--set appId="],
    [["channels", "setup", "feishu", "--set", "appid=x"], 'There is no credential "appid"'],
    [["channels", "test", "slack"], "cannot be read"],
  ])("says what to mend: %j", async (args, problem) => {
    const { said, ended } = started(args, folder());
    expect(await ended).toBe(2);
    expect(said.err).toContain(problem);
  });

  it("refuses to start a server with a channel that is set up wrongly, and names the place (attack E1)", async () => {
    const data = folder();
    writeFileSync(
      join(data, "countersign.channels.yaml"),
      'feishu:\n  appId: cli_a1b2c3d4e5f60718\n  appSecret: " "\n',
    );
    const { said, ended } = started(["serve", "--port", "0"], data);
    expect(await ended).toBe(2);
    expect(said.err).toContain("feishu.appSecret: is empty");
  });
});

describe("countersign channels words", () => {
  it("shows how answers are read, makes that stricter, and leaves what weakens it to the browser", async () => {
    const machine = new Machine();
    closing.push(() => machine.end());
    await machine.start();
    await machine.signIn();
    const words = (...args: string[]) => machine.run(["--json", "channels", "words", ...args]);
    const read = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as object;
    expect(read(await words())).toMatchObject({ approve: [], deny: [], usual: { unclear: "ask" } });
    const stricter = await words("--deny", "驳回", "Halt!", "--unclear", "cancel");
    expect(read(stricter)).toMatchObject({ deny: ["驳回", "halt"], unclear: "cancel" });
    for (const args of [
      ["--approve", "放行"],
      ["--remove", "halt", "--unclear", "server"],
    ]) {
      const weaker = await words(...args);
      expect(weaker, args.join(" ")).toMatchObject({ code: 1, stdout: "" });
      expect(weaker.stderr).toContain("fresh_passkey_required");
    }
    expect((await words("--remove", "nothing")).code).toBe(2);
    expect((await words("--deny", "确认")).stderr).toContain("already says the opposite");
    expect((await machine.run(["channels", "words"])).stdout).toContain("any other answer: cancels");
    expect((await machine.run(["channels", "words", "--help"])).stdout).toContain("--unclear");
  });
});

describe("countersign serve with a channel", () => {
  it("brings a held call to the chat of a connected account and runs it once (seed E3, E19)", async () => {
    const standIn = await feishuStandIn();
    closing.push(() => standIn.close());
    const machine = new Machine();
    const { appId, appSecret, baseUrl } = standIn.options();
    const lines = [`appId: ${appId}`, `appSecret: ${appSecret}`, `baseUrl: ${baseUrl}`, "locale: en"];
    writeFileSync(join(machine.data, "countersign.channels.yaml"), `feishu:\n  ${lines.join("\n  ")}\n`);
    closing.push(() => machine.stop());
    await machine.start();
    const { code } = await machine.browser<{ code: string }>("POST", "/v1/me/accounts/code", {});
    await standIn.say(standIn.people.ann, standIn.chats.ann, `link ${code}`);
    await until(() => expect(standIn.seen(standIn.chats.ann).at(-1)?.text).toContain("Connected"));
    const key = await machine.agentKey(["shell.command"]);
    const running = machine.run(["exec", "--", "git", "push", "--dry-run"], { COUNTERSIGN_KEY: key });
    const card = await until(() => {
      const found = standIn.seen(standIn.chats.ann).findLast(({ buttons }) => buttons.length > 0);
      if (found === undefined) throw new Error("no card yet");
      return found;
    });
    expect(card.text).toContain("git push --dry-run");
    await standIn.click(standIn.people.ann, card.id, "Cancel");
    expect((await running).code).toBe(3);
  });
});
