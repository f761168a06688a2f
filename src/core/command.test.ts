import { describe, expect, it } from "vitest";
import { defineCommand, failure, failureOf, success } from "./command.js";

const handler = () => success(1);

describe("defineCommand", () => {
  it("seed B1, B2: is a tool with the flags beside its name", () => {
    expect(
      defineCommand({ name: "todo-delete-batch", destructive: true, confirmPrompt: "Sure?", handler }),
    ).toMatchObject({
      name: "todo.delete-batch",
      command: "todo-delete-batch",
      effect: "write",
      destructive: true,
      confirmPrompt: "Sure?",
      app: "todo",
    });
    expect(defineCommand({ name: "todo-list", mutation: false, handler }).effect).toBe("read");
    expect(defineCommand({ name: "todo-add", handler }).effect).toBe("write");
  });

  it.each(["delete", "Todo-delete", "todo_delete", "todo.delete", "-delete", "todo-", "todo--delete", ""])(
    "refuses the name %j",
    (name) => {
      expect(() => defineCommand({ name, handler })).toThrow(expect.objectContaining({ code: "invalid_tool" }));
    },
  );

  it("refuses a destructive command that says it changes nothing", () => {
    expect(() => defineCommand({ name: "a-b", mutation: false, destructive: true, handler })).toThrow(
      /mutation: false/,
    );
  });
});

describe("results", () => {
  it("may name the command that takes them back", () => {
    const undo = { undoCommand: "todo-delete", undoArgs: { id: "7" } };
    expect(success({ id: "7" }, undo)).toEqual({ success: true, data: { id: "7" }, ...undo });
  });

  it("take the forms of the seed", () => {
    const warning = { code: "W", message: "m", severity: "info" as const };
    expect(success(1, { warnings: [warning] })).toEqual({ success: true, data: 1, warnings: [warning] });
    expect(failure("no")).toEqual({ success: false, error: { code: "FAILED", message: "no" } });
    const error = { code: "GONE", message: "gone", retryable: true };
    expect(failure(error)).toEqual({ success: false, error });
  });

  it("fail by value for commands alone, also without an error worth the name", () => {
    const command = { command: "a-b" };
    expect(failureOf(command, failure("no"))?.message).toBe("no");
    expect(failureOf(command, { success: false })?.message).toBe("no reason was given");
    expect(failureOf(command, { success: false, error: { message: 5 } })?.message).toBe("5");
    for (const result of [success(1), null, undefined, "text", {}, { success: 0 }]) {
      expect(failureOf(command, result)).toBeUndefined();
    }
    expect(failureOf({}, failure("no"))).toBeUndefined();
  });
});
