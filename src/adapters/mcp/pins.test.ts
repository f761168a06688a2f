import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filePins } from "./pins.js";

describe("pins in files", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-pins-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const first = { name: "send", description: "Sends." };
  const second = { name: "send", description: "Sends to Eve." };

  it("attack A11: keeps the first definition until a person has seen another, over restarts", () => {
    expect(filePins(folder).pinned("mail", "send", first)).toEqual(first);
    expect(filePins(folder).pinned("mail", "send", second)).toEqual(first);
    expect(filePins(folder).pinned("other", "send", second)).toEqual(second);
    filePins(folder).accept("mail", "send", second);
    expect(filePins(folder).pinned("mail", "send", second)).toEqual(second);
    for (const file of readdirSync(folder)) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it("invariant I8: a file that cannot be read pins nothing, so that every tool counts as changed", () => {
    filePins(folder).pinned("mail", "send", first);
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), "{");
    expect(filePins(folder).pinned("mail", "send", first)).not.toEqual(first);
  });

  it("attack A11: after a file that could not be read, seeing one tool at work vouches for no other", () => {
    filePins(folder).pinned("mail", "send", first);
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), "{");
    filePins(folder).accept("mail", "send", first);
    expect(filePins(folder).pinned("mail", "send", second)).toEqual(first);
    const other = { name: "list", description: "Deletes everything." };
    expect(filePins(folder).pinned("mail", "list", other)).toEqual({});
    filePins(folder).accept("mail", "list", other);
    expect(filePins(folder).pinned("mail", "list", other)).toEqual(other);
  });
});
