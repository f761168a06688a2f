import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ConfigSources, loadConfig } from "./load.js";

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "countersign.config.yaml");
  writeFileSync(file, text);
  return file;
}

/** What an operator is told, line by line. */
function problems(sources: ConfigSources): readonly string[] {
  try {
    loadConfig(sources);
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_request" });
    return (error as Error).message.split("\n");
  }
  throw new Error("It was taken for good.");
}

describe("loading the configuration", () => {
  it("takes a flag over the environment, the environment over the file, the file over what is usual", () => {
    const file = fileWith("port: 1\nttl: 1\nprivacy: enhanced\n");
    const environment = { COUNTERSIGN_PORT: "2", COUNTERSIGN_TTL: "2" };
    const { config, origins } = loadConfig({ file, environment, flags: { port: "3" } });
    expect(config).toMatchObject({ port: 3, ttl: 2, privacy: "enhanced", logLevel: "info" });
    expect(origins).toMatchObject({ port: "flag", ttl: "environment", privacy: "file", logLevel: "default" });
  });

  it("names every mistake in a file at once, each with its place and what is wanted", () => {
    const file = fileWith(
      "port: 47a7\nstore: 5\norigins: [https://a.example.com, https://b.example.com/x]\nprivacy: none\nseal: true\nttl: -5\nhost: ''\n",
    );
    expect(problems({ file, environment: {} })).toEqual([
      `${file}, host: must be an address.`,
      `${file}, port: must be a whole number from 0 to 65535.`,
      `${file}, origins, item 2: must be an origin such as https://approve.example.com, without a path.`,
      `${file}, store: must be "sqlite", "sqlite:FILE", "postgres://…" or "redis://…".`,
      `${file}, seal: must be off or on.`,
      `${file}, privacy: must be minimal or enhanced.`,
      `${file}, ttl: must be a whole number of milliseconds, 1 or more.`,
    ]);
  });

  it("says the same of flags and variables", () => {
    const environment = { COUNTERSIGN_LOG_LEVEL: "loud" };
    expect(problems({ environment, flags: { port: "80000", store: "mysql://db" } })).toEqual([
      "--port: must be a whole number from 0 to 65535.",
      '--store: must be "sqlite", "sqlite:FILE", "postgres://…" or "redis://…".',
      "COUNTERSIGN_LOG_LEVEL: must be silent, error, info or debug.",
    ]);
  });

  it("says what a list looks like where one value stands", () => {
    const file = fileWith("origins: https://a.example.com\n");
    expect(problems({ file, environment: {} })).toEqual([
      `${file}, origins: must be a list such as [https://approve.example.com].`,
    ]);
  });

  it.each(["POLCY", "POLICYY", "POLICI", "POLIYC"])(
    "refuses the slip COUNTERSIGN_%s: its rules would be missed (I8)",
    (slip) => {
      const environment = { [`COUNTERSIGN_${slip}`]: "/etc/countersign.policy.yaml" };
      expect(problems({ environment })).toEqual([
        `COUNTERSIGN_${slip}: there is no such setting. Did you mean COUNTERSIGN_POLICY?`,
      ]);
    },
  );

  it("leaves variables alone that are not its own", () => {
    const others = ["KEY", "URL", "SECRET", "DATA_URL", "MEMBERS", "SLACK_TOKEN"].map((name) => [
      `COUNTERSIGN_${name}`,
      "x",
    ]);
    expect(loadConfig({ environment: Object.fromEntries(others) }).config.port).toBe(4747);
  });
});
