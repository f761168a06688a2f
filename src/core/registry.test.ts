import { describe, expect, it } from "vitest";
import { defineCommand, success } from "./command.js";
import { createRegistry, isDestructiveTool, isWriteTool, wireNameOf } from "./registry.js";
import { defineTool } from "./tool.js";

const command = (name: string, over = {}) => defineCommand({ name, handler: () => success(1), ...over });

describe("the registry", () => {
  it("finds a tool under both spellings, and under its wire name", () => {
    const tool = defineTool({ name: "todo.delete" });
    const batch = command("todo-delete-batch");
    const registry = createRegistry([tool, batch]);
    for (const name of ["todo.delete", "todo-delete"]) expect(registry.find(name)).toBe(tool);
    for (const name of ["todo-delete-batch", "todo.delete-batch"]) expect(registry.find(name)).toBe(batch);
    expect(registry.findByWireName("todo_delete")).toBe(tool);
    expect(registry.find("todo_delete")).toBeUndefined();
    expect(registry.find("Todo.delete")).toBeUndefined();
  });

  it("replaces a tool by one of the same name alone", () => {
    const registry = createRegistry([defineTool({ name: "todo.delete" })]);
    const anew = defineTool({ name: "todo.delete", description: "Deletes it." });
    registry.replace(anew);
    expect(registry.find("todo.delete")).toBe(anew);
    expect(registry.findByWireName("todo_delete")).toBe(anew);
    for (const name of ["todo-delete", "todo.add"])
      expect(() => registry.replace(defineTool({ name }))).toThrow("no tool");
    expect(registry.list()).toEqual([anew]);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty", "", undefined, null, {}])(
    "finds nobody under %j",
    (name) => {
      const registry = createRegistry([defineTool({ name: "x.y" })]);
      expect(registry.find(name as string)).toBeUndefined();
      expect(registry.findByWireName(name as string)).toBeUndefined();
      expect(registry.getCommandMetadata(name as string)).toBeUndefined();
    },
  );

  it.each([
    ["the same name", "x.y", "x.y"],
    ["the other spelling", "x.y", "x-y"],
    ["one wire name", "x.y", "x_y"],
    ["one wire name by another character", "x:y", "x/y"],
  ])("refuses two tools with %s, and keeps the first alone", (_what, first, second) => {
    const kept = defineTool({ name: first });
    const registry = createRegistry([kept]);
    const added = () => registry.add(defineTool({ name: second }));
    expect(added).toThrow(expect.objectContaining({ code: "duplicate_tool" }));
    expect(added).toThrow(/rename one/);
    expect(registry.list()).toEqual([kept]);
  });

  it("gives wire names that every protocol takes, and that stay apart when they are long", () => {
    const long = Array.from({ length: 50 }, (_, index) => `${"x".repeat(80)}.${index}`);
    const names = ["a.b", "mcp__fs__write", "x:y/z", ...long].map(wireNameOf);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("command metadata", () => {
  const registry = createRegistry([
    command("todo-delete", { destructive: true, confirmPrompt: "Delete it?", tags: ["todo"], description: "Deletes." }),
    command("todo-list", { mutation: false }),
    command("todo-move", { confirmPrompt: () => "depends" }),
    defineTool({ name: "x.y", confirmPrompt: { en: "Go?", zh: "去吗？" } }),
  ]);

  it("seed B4: tells name, description, flags, tags and the static prompt, under both names", () => {
    const told = {
      name: "todo-delete",
      description: "Deletes.",
      destructive: true,
      mutation: true,
      tags: ["todo"],
      confirmPrompt: "Delete it?",
    };
    expect(registry.getCommandMetadata("todo-delete")).toEqual(told);
    expect(registry.getCommandMetadata("todo.delete")).toEqual(told);
  });

  it("seed B5: lists all, with no prompt where it depends on the arguments", () => {
    expect(
      registry.listCommandsWithMetadata().map(({ name, mutation, confirmPrompt }) => [name, mutation, confirmPrompt]),
    ).toEqual([
      ["todo-delete", true, "Delete it?"],
      ["todo-list", false, undefined],
      ["todo-move", true, undefined],
      ["x.y", true, "Go?"],
    ]);
  });
});

describe("isWriteTool and isDestructiveTool", () => {
  it("seed A25, flaw F-A1: believe the declaration, else read the verb; unknown counts as a write", () => {
    const registry = createRegistry([
      defineTool({ name: "files.deletePreview", effect: "read" }),
      defineTool({ name: "x.frob", destructive: true }),
    ]);
    expect(isWriteTool("files.deletePreview", registry)).toBe(false);
    expect(isDestructiveTool("x.frob", registry)).toBe(true);
    for (const name of [
      "lists.removeItem",
      "prefs.set",
      "mail.send",
      "events.batchUpdate",
      "frobnicate",
      "constructor",
    ]) {
      expect(isWriteTool(name, registry)).toBe(true);
    }
    for (const name of ["tasks.list", "tasks.get"]) expect(isWriteTool(name)).toBe(false);
    expect(isDestructiveTool("tasks.delete")).toBe(true);
    expect(isDestructiveTool("tasks.list")).toBe(false);
  });
});
