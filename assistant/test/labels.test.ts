import { expect, it } from "vitest";
import { newWorld } from "./world.js";

it("says in both languages what each argument is that a person may be asked about", () => {
  const { gate } = newWorld();
  const writes = gate.registry.list().filter(({ effect }) => effect === "write");
  const unsaid = writes.flatMap(({ name, jsonSchema, labels = {} }) =>
    Object.keys(jsonSchema?.["properties"] ?? {})
      .filter((argument) => typeof labels[argument] !== "object")
      .map((argument) => `${name}: ${argument}`),
  );
  expect(writes.length).toBeGreaterThan(20);
  expect(unsaid).toEqual([]);
  expect(gate.lint().filter(({ code }) => code === "label_path_unknown")).toEqual([]);
});
