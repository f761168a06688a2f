import type { Answer } from "./message.js";
import type { Route, Session } from "./session.js";

/** One server: every request goes to it as it came, and every answer comes back as it was given. */
export function routeOne(session: Session): Route {
  return async (request, signal) => {
    const [served] = session.served;
    if (served === undefined) throw new Error("This gateway has no server.");
    const { link, catalog } = served;
    if (request.method === "tools/call")
      return session.calls.call(link, catalog, String(request.params?.["name"]), request, signal);
    if (request.method === "initialize") session.client.initialized(request.params);
    const answer = await link.request(request.method, request.params, request.id);
    if (request.method === "tools/list" && "result" in answer) catalog.learn(answer.result["tools"]);
    if (request.method === "initialize") settleVersion(link, answer);
    return answer;
  };
}

/** Transports over HTTP name the agreed version in their headers. */
export function settleVersion(link: { setProtocolVersion(version: string): void }, answer: Answer): void {
  const version = "result" in answer ? answer.result["protocolVersion"] : undefined;
  if (typeof version === "string") link.setProtocolVersion(version);
}
