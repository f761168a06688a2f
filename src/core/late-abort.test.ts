import { describe, expect, it } from "vitest";
import { LateAbort } from "./late-abort.js";

const OVER = new Error("the tool's time is over");

describe("a signal that is made late", () => {
  it("is the same at every look and tells of an abort that comes afterwards", () => {
    const abort = new LateAbort(undefined);
    const { signal } = abort;
    expect(signal.aborted).toBe(false);
    expect(abort.signal).toBe(signal);
    abort.abort(OVER);
    expect(signal.reason).toBe(OVER);
  });

  it("tells of an abort that came before the first look", () => {
    const abort = new LateAbort(undefined);
    abort.abort(OVER);
    expect(abort.signal.reason).toBe(OVER);
  });

  it("aborts with the caller's, also one that was aborted before the first look", () => {
    const caller = new AbortController();
    const looked = new LateAbort(caller.signal);
    const { signal } = looked;
    const late = new LateAbort(caller.signal);
    caller.abort(OVER);
    expect(signal.reason).toBe(OVER);
    expect(late.signal.reason).toBe(OVER);
  });
});
