import { lintTools } from "countersign";
import { describe, expect, it } from "vitest";
import type { Todo } from "../src/household/todos.js";
import { approved, held, newWorld, PERSON, ran, type World } from "./world.js";

interface Made {
  readonly success: true;
  readonly data: {
    readonly todo: Todo;
    readonly list: { id: string };
    readonly note: { id: string };
    readonly folder: { id: string };
  };
  readonly undoCommand: string;
  readonly undoArgs: object;
}

async function create(world: World, command: string, args: object): Promise<Made> {
  return ran<Made>(world.gate, command, args);
}

/** The six, each with what it takes to have something to delete. */
const SIX: readonly {
  readonly command: string;
  readonly prompt: string;
  readonly prepare: (world: World) => Promise<object>;
}[] = [
  {
    command: "todo-delete",
    prompt: "This todo will be permanently deleted.",
    prepare: async (world) => ({ id: (await create(world, "todo-create", { title: "milk" })).data.todo.id }),
  },
  {
    command: "todo-clear",
    prompt: "All completed todos will be permanently deleted.",
    prepare: () => Promise.resolve({}),
  },
  {
    command: "todo-delete-batch",
    prompt: "These todos will be permanently deleted.",
    prepare: async (world) => ({ ids: [(await create(world, "todo-create", { title: "milk" })).data.todo.id] }),
  },
  {
    command: "list-delete",
    prompt: "This list and all its todos will be permanently deleted.",
    prepare: async (world) => ({ id: (await create(world, "list-create", { name: "shop" })).data.list.id }),
  },
  {
    command: "note-delete",
    prompt: "This note will be permanently deleted.",
    prepare: async (world) => ({ id: (await create(world, "note-create", { title: "idea" })).data.note.id }),
  },
  {
    command: "notefolder-delete",
    prompt: "This folder and all its notes will be permanently deleted.",
    prepare: async (world) => ({ id: (await create(world, "notefolder-create", { name: "ideas" })).data.folder.id }),
  },
];

describe("the six commands that delete (seed B13)", () => {
  it.each(SIX)(
    "$command asks in its own words before anything is deleted (flaw F-B1)",
    async ({ command, prompt, prepare }) => {
      const world = newWorld();
      const outcome = await held(world.gate, command, await prepare(world));
      expect([outcome.card.humanSummary, outcome.card.riskTier, outcome.card.isDestructive]).toEqual([
        prompt,
        "R4",
        true,
      ]);
      expect((await approved(world.gate, outcome)).type).toBe("succeeded");
    },
  );

  it("has flags, tags, names and prompts that agree (flaw F-B5)", () => {
    const { gate } = newWorld();
    expect(lintTools(gate.registry.list())).toEqual([]);
    const destructive = gate.registry.listCommandsWithMetadata().filter((command) => command.destructive);
    expect(destructive.map(({ name }) => name)).toEqual(expect.arrayContaining(SIX.map(({ command }) => command)));
  });
});

describe("what the prompts say is what happens (flaw F-B4)", () => {
  it("says so when todo-clear takes all of them", async () => {
    const world = newWorld();
    await create(world, "todo-create", { title: "open one" });
    const outcome = await held(world.gate, "todo-clear", { all: true });
    expect(outcome.card.humanSummary).toBe("ALL todos, also those not completed, will be permanently deleted.");
    expect(await approved(world.gate, outcome)).toMatchObject({ result: { success: true, data: { deleted: 1 } } });
    expect(world.apps.todos.list("home", { status: "all" })).toEqual([]);
  });

  it("leaves open todos alone when todo-clear takes the completed", async () => {
    const world = newWorld();
    const { data } = await create(world, "todo-create", { title: "done one" });
    await create(world, "todo-create", { title: "open one" });
    await ran(world.gate, "todo-update", { id: data.todo.id, done: true });
    await approved(world.gate, await held(world.gate, "todo-clear", {}));
    expect(world.apps.todos.list("home", { status: "all" }).map(({ title }) => title)).toEqual(["open one"]);
  });

  it("deletes a list with its todos, and a folder with its notes", async () => {
    const world = newWorld();
    const { data: made } = await create(world, "list-create", { name: "shop" });
    await create(world, "todo-create", { title: "milk", listId: made.list.id });
    await create(world, "todo-create", { title: "elsewhere" });
    const outcome = await held(world.gate, "list-delete", { id: made.list.id });
    expect(outcome.card.effects.map(({ text }) => String(text))).toEqual(["deletes 1 list", "deletes 1 todo"]);
    await approved(world.gate, outcome);
    expect(world.apps.todos.list("home").map(({ title }) => title)).toEqual(["elsewhere"]);

    const { data: kept } = await create(world, "notefolder-create", { name: "ideas" });
    await create(world, "note-create", { title: "one", folderId: kept.folder.id });
    await approved(world.gate, await held(world.gate, "notefolder-delete", { id: kept.folder.id }));
    expect([world.apps.notes.list("home"), world.apps.folders.all("home")]).toEqual([[], []]);
  });

  it("asks anew when a todo was added after the question", async () => {
    const world = newWorld();
    await create(world, "todo-create", { title: "one" });
    const outcome = await held(world.gate, "todo-clear", { all: true });
    await create(world, "todo-create", { title: "two" });
    const { approvalId, card } = outcome;
    await world.gate.decide({ approvalId, decision: "approve", toolCallHash: card.toolCallHash }, PERSON);
    const [again] = await world.gate.pending(PERSON);
    expect(again?.approvalId).not.toBe(approvalId);
    expect(again?.effects.map(({ text }) => String(text))).toEqual(["deletes 2 todos"]);
    expect(world.apps.todos.list("home")).toHaveLength(2);
  });
});

describe("commands that create and change", () => {
  it("name the command that takes them back", async () => {
    const world = newWorld();
    const made = await create(world, "todo-create", { title: "milk" });
    expect([made.undoCommand, made.undoArgs]).toEqual(["todo-delete", { id: made.data.todo.id }]);
    const changed = await create(world, "todo-update", { id: made.data.todo.id, title: "oat milk" });
    await ran(world.gate, changed.undoCommand, changed.undoArgs);
    expect(world.apps.todos.get("home", made.data.todo.id).title).toBe("milk");
  });

  it("fail by value, and a batch warns of what was not there", async () => {
    const world = newWorld();
    const missing = await world.gate.submit(
      { tool: "todo-update", args: { id: "nobody", title: "x" }, confidence: 1 },
      { userId: "ann", workspaceId: "home", sessionId: "s", agentId: "a" },
    );
    expect(missing).toMatchObject({ type: "failed", error: expect.stringContaining("nobody") });
    const { data } = await create(world, "todo-create", { title: "milk" });
    const outcome = await approved(
      world.gate,
      await held(world.gate, "todo-delete-batch", { ids: [data.todo.id, "nobody"] }),
    );
    expect(outcome).toMatchObject({
      result: { data: { deleted: 1 }, warnings: [{ code: "NOT_FOUND", severity: "warning" }] },
    });
  });

  it("show one workspace nothing of another (invariant I11)", async () => {
    const world = newWorld();
    const { data } = await create(world, "todo-create", { title: "milk" });
    const stranger = { userId: "eve", workspaceId: "other", sessionId: "s", agentId: "a" };
    const listed = await world.gate.submit({ tool: "todo-list", args: {} }, stranger);
    expect(listed).toMatchObject({ result: { data: { todos: [] } } });
    const outcome = await world.gate.submit(
      { tool: "tasks.complete", args: { taskId: data.todo.id }, confidence: 1 },
      stranger,
    );
    expect(outcome.type).not.toBe("succeeded");
    expect(world.apps.todos.get("home", data.todo.id).done).toBe(false);
  });
});
