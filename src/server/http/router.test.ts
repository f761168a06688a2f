import { describe, expect, it } from "vitest";
import { DONE, route } from "./route.js";
import { Router } from "./router.js";

const at = (method: "get" | "post", path: string) =>
  route({ method, path, tag: "Test", summary: path, access: "anyone", answers: {}, handle: async () => DONE });

const list = at("get", "/v1/things");
const groups = at("get", "/v1/things/groups");
const one = at("get", "/v1/things/{thingId}");
const part = at("get", "/v1/things/{thingId}/parts/{partId}");
const make = at("post", "/v1/things");
const router = new Router([list, one, groups, part, make]);

describe("the router", () => {
  it.each([
    ["GET", "/v1/things", list, {}],
    ["HEAD", "/v1/things", list, {}],
    ["POST", "/v1/things", make, {}],
    ["GET", "/v1/things/groups", groups, {}],
    ["GET", "/v1/things/a", one, { thingId: "a" }],
    ["GET", "/v1/things/__proto__", one, { thingId: "__proto__" }],
    ["GET", "/v1/things/a%2Fb", one, { thingId: "a/b" }],
    ["GET", "/v1/things/%E0%A4%A", one, { thingId: "%E0%A4%A" }],
    ["GET", "/v1/things/a/parts/b", part, { thingId: "a", partId: "b" }],
  ])("finds the route of %s %s and what its open parts are", (method, path, found, params) => {
    expect(router.find(method, path)).toEqual({ route: found, params });
  });

  it.each([
    ["GET", "/"],
    ["GET", "/v1/things/"],
    ["GET", "//v1/things"],
    ["GET", "/V1/things"],
    ["GET", "/v1/%74hings"],
    ["GET", "/v1/things/a/parts/"],
    ["GET", "/v1/things/a/parts/b/c"],
    ["HEAD", "/v2/things"],
    ["POST", "/v1/things/a"],
    ["constructor", "/v1/things"],
  ])("finds nothing for %s %s", (method, path) => {
    expect(router.find(method, path)).toBeUndefined();
  });

  it("lets nobody take a route over that was there before", () => {
    const mounted = [at("post", "/v1/things"), at("get", "/v1/things/{other}")];
    const both = new Router([list, one, make, ...mounted]);
    expect(both.find("POST", "/v1/things")?.route).toBe(make);
    expect(both.find("GET", "/v1/things/a")?.route).toBe(one);
  });
});
