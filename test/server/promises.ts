import { expect } from "vitest";
import type { AnyRoute } from "../../src/server/http/route.js";
import { problem } from "../../src/server/wire/common.js";

/** Holds every answer to what its route promises: a declared status, a body of the declared form, nothing more in it. */
export function promisesOf(routes: readonly AnyRoute[]) {
  const table = routes.map((route) => ({ route, form: formOf(route.path) }));
  const routeOf = (method: string, path: string) =>
    table.find(({ route, form }) => route.method === method.toLowerCase() && form.test(path))?.route;
  return (method: string, address: string, status: number, type: string | null, body: unknown): void => {
    const route = routeOf(method, address.split("?")[0] ?? "");
    if (route === undefined) {
      expect(status, `${method} ${address}`).toBe(404);
      return;
    }
    const declared = route.answers[status];
    const where = `${status} of ${route.method} ${route.path}`;
    if (declared !== undefined && type !== "application/problem+json") {
      if (declared.schema !== undefined) expect(declared.schema.parse(body), where).toEqual(body);
      return;
    }
    expect(status, where).toBeGreaterThanOrEqual(400);
    expect(type, where).toBe("application/problem+json");
    expect(problem.parse(body), where).toEqual(body);
  };
}

function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}
