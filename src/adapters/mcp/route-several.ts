import { type Answer, INVALID_PARAMS, METHOD_NOT_FOUND, type Params, type RpcRequest, rpcError } from "./message.js";
import { settleVersion } from "./route-one.js";
import type { Route, Served, Session } from "./session.js";

type Handler = (request: RpcRequest, signal: AbortSignal) => Promise<Answer>;
type Item = Record<string, unknown>;

const PARTS = "__";
const MAX_PAGES = 100;
/** Lists that are put together from all servers: the capability, the field, and whether its items go by name. */
const LISTS: Readonly<Record<string, readonly [capability: string, field: string, named: boolean]>> = {
  "tools/list": ["tools", "tools", true],
  "prompts/list": ["prompts", "prompts", true],
  "resources/list": ["resources", "resources", false],
  "resources/templates/list": ["resources", "resourceTemplates", false],
};

/**
 * Several servers as one. Tools and prompts carry their server's name before their own, so that two of the same name stay two;
 * resources keep their addresses and are looked for where they were listed.
 */
export function createSeveral(session: Session): Route {
  const capabilities = new Map<Served, Params>();
  const owners = new Map<string, Served>();
  const able = (capability: string) =>
    session.served.filter((one) => capabilities.get(one)?.[capability] !== undefined);
  const locate = (name: unknown) => {
    const text = String(name);
    const found = session.served
      .filter(({ link }) => text.startsWith(link.server + PARTS))
      // The longest server name wins: `a` has no tool `b__c` while there is a server `a__b`.
      .sort((a, b) => b.link.server.length - a.link.server.length)[0];
    return found && { served: found, name: text.slice(found.link.server.length + PARTS.length) };
  };

  const initialize: Handler = async ({ params, id }) => {
    session.client.initialized(params);
    const answers = await Promise.all(
      session.served.map(async (one) => {
        const answer = await one.link.request("initialize", params, id);
        settleVersion(one.link, answer);
        if (!("result" in answer)) return undefined;
        capabilities.set(one, (answer.result["capabilities"] ?? {}) as Params);
        return { server: one.link.server, result: answer.result };
      }),
    );
    const up = answers.filter((answer) => answer !== undefined);
    if (up.length === 0)
      return rpcError(INVALID_PARAMS, "None of the MCP servers behind this gateway could be reached.");
    const versions = up.map(({ result }) => String(result["protocolVersion"])).sort();
    const instructions = up.flatMap(({ server, result }) =>
      typeof result["instructions"] === "string" ? [`${server}: ${result["instructions"]}`] : [],
    );
    return {
      result: {
        // What all of them speak.
        protocolVersion: versions[0],
        capabilities: up.reduce((sum, { result }) => merge(sum, (result["capabilities"] ?? {}) as Item), {} as Item),
        serverInfo: { name: "countersign", title: "Countersign", version: "1" },
        ...(instructions.length === 0 ? {} : { instructions: instructions.join("\n") }),
      },
    };
  };

  const list: Handler = async ({ method, params, id }) => {
    const [capability, field, named] = LISTS[method] as (typeof LISTS)[string];
    const { cursor: _ours, ...rest } = params ?? {};
    const lists = await Promise.all(
      able(capability).map(async (one) => {
        const items = await pagesOf(one, method, field, rest, id);
        if (field === "tools") one.catalog.learn(items);
        if (field === "resources") for (const { uri } of items) owners.set(String(uri), one);
        return named
          ? items.map((item) => ({ ...item, name: `${one.link.server}${PARTS}${String(item["name"])}` }))
          : items;
      }),
    );
    return { result: { [field]: lists.flat() } };
  };

  const byName: Handler = async (request, signal) => {
    const located = locate(request.params?.["name"]);
    if (located === undefined) return rpcError(INVALID_PARAMS, `Unknown name: ${String(request.params?.["name"])}`);
    const { served, name } = located;
    if (request.method === "tools/call") return session.calls.call(served.link, served.catalog, name, request, signal);
    return served.link.request(request.method, { ...request.params, name }, request.id);
  };

  /** Where it was listed, else wherever it is found: templates make addresses that no list has. */
  const byUri = async ({ method, params, id }: RpcRequest, uri: unknown): Promise<Answer> => {
    const owner = owners.get(String(uri));
    let answer: Answer = rpcError(INVALID_PARAMS, `Unknown resource: ${String(uri)}`);
    for (const one of owner === undefined ? able("resources") : [owner]) {
      answer = await one.link.request(method, params, id);
      if ("result" in answer) return answer;
    }
    return answer;
  };

  const complete: Handler = (request) => {
    const ref = (request.params?.["ref"] ?? {}) as { readonly name?: unknown; readonly uri?: unknown };
    const located = ref.name === undefined ? undefined : locate(ref.name);
    if (located === undefined) return byUri(request, ref.uri);
    const params = { ...request.params, ref: { ...ref, name: located.name } };
    return located.served.link.request(request.method, params, request.id);
  };

  const everywhere =
    (capability: string): Handler =>
    async ({ method, params, id }) => {
      await Promise.all(able(capability).map((one) => one.link.request(method, params, id)));
      return { result: {} };
    };

  const handlers = new Map<string, Handler>([
    ["initialize", initialize],
    ["ping", async () => ({ result: {} })],
    ...Object.keys(LISTS).map((method) => [method, list] as const),
    ["tools/call", byName],
    ["prompts/get", byName],
    ["completion/complete", complete],
    ["logging/setLevel", everywhere("logging")],
    ...["resources/read", "resources/subscribe", "resources/unsubscribe"].map(
      (method) => [method, (request: RpcRequest) => byUri(request, request.params?.["uri"])] as const,
    ),
  ]);
  return async (request, signal) =>
    handlers.get(request.method)?.(request, signal) ??
    rpcError(METHOD_NOT_FOUND, `Method not found: ${request.method}`);
}

async function pagesOf(
  { link }: Served,
  method: string,
  field: string,
  params: Params,
  id: RpcRequest["id"],
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await link.request(method, { ...params, ...(cursor === undefined ? {} : { cursor }) }, id);
    // A server that is gone has nothing to list; the others have.
    if (!("result" in answer)) return items;
    items.push(...((answer.result[field] ?? []) as Item[]));
    cursor = answer.result["nextCursor"];
    if (typeof cursor !== "string") return items;
  }
  return items;
}

function merge(a: Item, b: Item): Item {
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const known = merged[key];
    merged[key] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Item {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
