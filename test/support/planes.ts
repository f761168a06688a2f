/** The planes of Unicode. One test for all of them would take longer than a test may where the machine is busy. */
export const PLANES: readonly number[] = Array.from({ length: 17 }, (_, plane) => plane);

const SIZE = 0x10000;

/** Every code point of a plane, as a character. */
export function* charactersOf(plane: number): Generator<string> {
  for (let codePoint = plane * SIZE; codePoint < (plane + 1) * SIZE; codePoint++) yield String.fromCodePoint(codePoint);
}
