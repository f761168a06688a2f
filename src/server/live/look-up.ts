import { agentOf } from "../http/credentials.js";
import type { Presented } from "../http/incoming.js";
import type { PersonPrincipal, Principal } from "../identity/index.js";
import type { Service } from "../service.js";
import type { LookUp } from "./subscription.js";

/** How a connection finds out again and again who it belongs to, long after the request that opened it. */
export function lookUpOf(service: Pick<Service, "identity">, by: Principal, request: Presented): LookUp {
  if (by.kind === "person") return personLookUp(service, by);
  return async () => {
    const agent = await agentOf(service.identity, request);
    return agent?.agentId === by.agentId ? agent : undefined;
  };
}

/** By the session, not by its token: a session that was elevated meanwhile goes on under another one. */
export function personLookUp({ identity }: Pick<Service, "identity">, by: PersonPrincipal) {
  return async (): Promise<PersonPrincipal | undefined> => {
    const live = await identity.sessions.list(by.session);
    const session = live.find(({ sessionId }) => sessionId === by.session.sessionId);
    return session && identity.sessions.enter(session, by.workspaceId);
  };
}
