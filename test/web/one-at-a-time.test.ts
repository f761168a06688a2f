import { describe, expect, it } from "vitest";
import { oneAtATime } from "../../web/src/api/one-at-a-time.js";

/** Work that ends when it is told to, and says of each time which key it was for. */
function heldWork() {
  const started: string[] = [];
  const open: { readonly end: (value: string) => void; readonly fail: (error: Error) => void }[] = [];
  const work = oneAtATime(
    (key) =>
      new Promise<string>((end, fail) => {
        started.push(key);
        open.push({ end, fail });
      }),
  );
  return {
    work,
    started,
    end: (value: string) => open.shift()?.end(value),
    fail: () => open.shift()?.fail(Error("x")),
  };
}

describe("reading one at a time", () => {
  it("answers all who asked during one read with a single later one", async () => {
    const { work, started, end } = heldWork();
    const first = work("a");
    const later = [work("a"), work("a"), work("a")];
    expect(started).toEqual(["a"]);
    end("old");
    expect(await first).toBe("old");
    await expect.poll(() => started).toEqual(["a", "a"]);
    end("new");
    expect(await Promise.all(later)).toEqual(["new", "new", "new"]);
  });

  it("does not let one wait for another", () => {
    const { work, started } = heldWork();
    void work("a");
    void work("b");
    expect(started).toEqual(["a", "b"]);
  });

  it("goes on after a read that failed", async () => {
    const { work, started, end, fail } = heldWork();
    const first = work("a");
    const later = work("a");
    fail();
    await expect(first).rejects.toThrow("x");
    await expect.poll(() => started).toHaveLength(2);
    end("new");
    expect(await later).toBe("new");
    void work("a");
    expect(started).toHaveLength(3);
  });
});
