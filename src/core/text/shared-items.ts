import { canonicalize, type Json } from "../json.js";

/** Beyond this many comparisons items are matched by place: longer to read, just as exact. */
const MOST_COMPARISONS = 250_000;

/** Pairs of places of equal items, in order: the longest common subsequence, so that a removal is shown as one. */
export function sharedItems(before: readonly Json[], after: readonly Json[]): readonly (readonly [number, number])[] {
  const texts = (items: readonly Json[]) => items.map((item) => canonicalize(item));
  const [old, now] = [texts(before), texts(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let [oldEnd, newEnd] = [old.length, now.length];
  while (oldEnd > start && newEnd > start && old[oldEnd - 1] === now[newEnd - 1])
    [oldEnd, newEnd] = [oldEnd - 1, newEnd - 1];
  const head = Array.from({ length: start }, (_, index) => [index, index] as const);
  const tail = Array.from({ length: old.length - oldEnd }, (_, index) => [oldEnd + index, newEnd + index] as const);
  const middle = commonSubsequence(old.slice(start, oldEnd), now.slice(start, newEnd));
  return [...head, ...middle.map(([left, right]) => [start + left, start + right] as const), ...tail];
}

function commonSubsequence(old: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length * now.length > MOST_COMPARISONS) return [];
  const width = now.length + 1;
  // longest[i * width + j]: how many items old from i and now from j still have in common
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (left: number, right: number): number => longest[left * width + right] ?? 0;
  for (let left = old.length - 1; left >= 0; left--) {
    for (let right = now.length - 1; right >= 0; right--) {
      const isEqual = old[left] === now[right];
      longest[left * width + right] = isEqual
        ? at(left + 1, right + 1) + 1
        : Math.max(at(left + 1, right), at(left, right + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let [left, right] = [0, 0]; left < old.length && right < now.length; ) {
    if (old[left] === now[right]) pairs.push([left++, right++]);
    else if (at(left + 1, right) >= at(left, right + 1)) left++;
    else right++;
  }
  return pairs;
}
