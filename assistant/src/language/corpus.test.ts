import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTask } from "./read-task.js";
import { takesBack } from "./speech.js";
import { splitMessage } from "./split.js";
import type { TaskIntent } from "./task-intent.js";
import { normalise } from "./text.js";

const LABELS = ["create", "complete", "assign", "delete", "question", "refusal", "chatter"] as const;
type Label = (typeof LABELS)[number];
type Corpus = Readonly<Record<Label, readonly string[]>>;

const MOMENT = { now: Date.parse("2026-02-05T14:00:00Z"), timezone: "Europe/Berlin" };

const LABEL_OF: Readonly<Record<TaskIntent["type"], Label>> = {
  create: "create",
  untitled: "create",
  complete: "complete",
  assign: "assign",
  reschedule: "assign",
  delete: "delete",
  list: "question",
  question: "question",
  refusal: "refusal",
  chatter: "chatter",
};

/** A message is what its gravest sentence is: one that says no wants nothing, one that deletes deletes. */
function labelOf(message: string): Label {
  const text = normalise(message);
  if (takesBack(text)) return "refusal";
  const found = new Set(splitMessage(text).map((part) => LABEL_OF[readTask(part, MOMENT).type]));
  const order: readonly Label[] = ["refusal", "delete", "assign", "complete", "create", "question", "chatter"];
  return order.find((label) => found.has(label)) ?? "chatter";
}

const corpus = ["english", "chinese"].flatMap((language) => {
  const read = JSON.parse(readFileSync(new URL(`data/${language}.json`, import.meta.url), "utf8")) as Corpus;
  return LABELS.flatMap((label) => read[label].map((text) => ({ language, label, text, said: labelOf(text) })));
});
const WRITES: readonly Label[] = ["create", "complete", "assign", "delete"];

describe("the parser on the corpus of utterances", () => {
  it("is measured on at least 400 different ones, and prints its confusion table", () => {
    expect(new Set(corpus.map(({ text }) => text)).size).toBeGreaterThanOrEqual(400);
    const count = (label: Label, said: Label) =>
      corpus.filter((one) => one.label === label && one.said === said).length;
    console.table(
      Object.fromEntries(
        LABELS.map((label) => [label, Object.fromEntries(LABELS.map((said) => [said, count(label, said)]))]),
      ),
    );
    const wrong = corpus.filter(({ label, said }) => label !== said);
    for (const { label, said, text } of wrong) console.log(`${label} read as ${said}: ${text}`);
    expect(1 - wrong.length / corpus.length).toBeGreaterThanOrEqual(0.97);
  });

  it("turns no refusal into a write", () => {
    const turned = corpus.filter(({ label, said }) => label === "refusal" && WRITES.includes(said));
    expect(turned).toEqual([]);
  });

  it("turns no question into a write", () => {
    expect(corpus.filter(({ label, said }) => label === "question" && WRITES.includes(said))).toEqual([]);
  });

  it("turns no delete into another write", () => {
    const others: readonly Label[] = ["create", "complete", "assign"];
    expect(corpus.filter(({ label, said }) => label === "delete" && others.includes(said))).toEqual([]);
  });

  it("turns no chatter into a delete", () => {
    expect(corpus.filter(({ label, said }) => label === "chatter" && said === "delete")).toEqual([]);
  });
});
