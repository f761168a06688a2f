import { type IPty, spawn } from "@lydell/node-pty";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { CLI, Machine } from "./machine.js";

const machine = new Machine();

beforeAll(async () => {
  await machine.start();
  return () => machine.end();
});

/** A terminal with `watch` in it, signed in by its code. */
async function watching() {
  const pty = spawn(process.execPath, [CLI, "watch"], { cols: 100, rows: 50, env: machine.env({ TERM: "xterm" }) });
  onTestFinished(() => pty.kill("SIGKILL"));
  const screen = new Screen(pty);
  const code = /enter: (\S+)/.exec(await screen.until(/enter: \S+\r\n/))?.[1] ?? "";
  await machine.browser("POST", `/v1/auth/cli/${code}`, { decision: "approve" });
  await screen.until(/q quit/);
  return screen;
}

/** What a program draws, read up to what is waited for. */
class Screen {
  readonly ended: Promise<number>;
  readonly type: (keys: string) => void;
  #text = "";
  #look = () => {};

  constructor(pty: IPty) {
    this.type = (keys) => pty.write(keys);
    pty.onData((data) => {
      this.#text += data;
      this.#look();
    });
    this.ended = new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  }

  /** What was drawn since the last wait, up to now; it has to match. */
  until(wanted: RegExp): Promise<string> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (!wanted.test(this.#text)) return;
        this.#look = () => {};
        resolve(this.#text);
        this.#text = "";
      };
      this.#look();
    });
  }
}

/** A question of an agent that a terminal may answer. */
async function ask(text: string): Promise<string> {
  const apiKey = await machine.agentKey(["notes.write"]);
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const tell = async (path: string, body: unknown) =>
    (await fetch(`${machine.url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  await tell("tools", {
    tools: [{ name: "notes.write", effect: "write", riskTier: "R2", confirm: true, inputSchema }],
  });
  return ((await tell("calls", { tool: "notes.write", args: { text } })) as { approvalId: string }).approvalId;
}

const stateOf = async (approvalId: string) =>
  (await machine.browser<{ state: string }>("GET", `/v1/approvals/${approvalId}`)).state;

describe("watch", () => {
  it("moves by keys that come together, answers with a typed word, denies with a reason, and ends at q", async () => {
    const first = await ask("one");
    const second = await ask("two");
    const screen = await watching();
    await screen.until(/> .*\r\n {2}\S/);
    screen.type("jj");
    await screen.until(/\n {2}\S.*\r\n> /);
    screen.type("k");
    await screen.until(/> .*\r\n {2}\S/);
    screen.type("a");
    await screen.until(/anything else refuses:/);
    screen.type("yes\r");
    await screen.until(/Approved \w+\./);
    expect(await stateOf(first)).toBe("approved");
    await screen.until(/1 waiting/);
    screen.type("d");
    await screen.until(/Why is \w+ denied/);
    screen.type("not now\r");
    await screen.until(/Denied \w+\./);
    expect(await stateOf(second)).toBe("denied");
    screen.type("q");
    expect(await screen.ended).toBe(0);
  });

  it.each([
    ["a", /anything else refuses:/],
    ["d", /Why is \w+ denied/],
  ])("decides nothing and ends when its input ends after %s (I8)", async (key, question) => {
    const approvalId = await ask(`left at ${key}`);
    const screen = await watching();
    screen.type(key);
    await screen.until(question);
    screen.type("\u0004");
    expect(await screen.ended).toBe(0);
    expect(await stateOf(approvalId)).toBe("pending");
    await machine.answer("deny");
  });

  it("ends when its session was ended elsewhere, and says how to go on", async () => {
    const screen = await watching();
    const { sessions } = await machine.browser<{ sessions: { sessionId: string; kind: string }[] }>(
      "GET",
      "/v1/me/sessions",
    );
    for (const { sessionId } of sessions.filter(({ kind }) => kind === "cli"))
      await machine.browser("DELETE", `/v1/me/sessions/${sessionId}`);
    expect(await screen.until(/has ended/)).toContain("Run: countersign watch");
    expect(await screen.ended).toBe(6);
  });
});
