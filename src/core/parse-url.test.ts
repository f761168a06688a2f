import { expect, it } from "vitest";
import { parseUrl } from "./parse-url.js";

it("reads a host in letters beyond ASCII, however often others were read before", () => {
  expect(parseUrl("nonsense")).toBeUndefined();
  const wrong = [];
  for (let count = 0; count < 100_000; count++)
    if (parseUrl(`https://example.com/${count % 9}`) === undefined) wrong.push(count);
  for (let count = 0; count < 100; count++)
    if (parseUrl("https://müller.test/")?.host !== "xn--mller-kva.test") wrong.push(count);
  expect(wrong).toEqual([]);
});
