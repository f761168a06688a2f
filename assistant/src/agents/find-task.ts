import type { Todo } from "../household/todos.js";

/**
 * Which of the tasks the words mean: the one with exactly that title, else those that hold the words. Never picks one of several:
 * who is not sure asks.
 */
export function findTasks(words: string, tasks: readonly Todo[]): readonly Todo[] {
  const wanted = plain(words);
  if (wanted === "") return [];
  const exact = tasks.filter((task) => task.id === words || plain(task.title) === wanted);
  if (exact.length > 0) return exact;
  return tasks.filter((task) => holds(plain(task.title), wanted) || holds(wanted, plain(task.title)));
}

/** Whole words in languages that have blanks between them: "car" is not in "care". */
function holds(text: string, part: string): boolean {
  if (/\p{Script=Han}/u.test(part)) return text.includes(part);
  return part.length > 2 && ` ${text} `.includes(` ${part} `);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(/\b(?:the|an?|my|our)\b/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
