import { envelope, isModern, type Params } from "./message.js";

/** The agent's client, as it describes itself. None of it is proof of anything. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** What can be shown to the person at the client, and how. */
export interface Abilities {
  readonly modern: boolean;
  readonly url: boolean;
  readonly form: boolean;
}

export class ClientState {
  #info: ClientInfo = { name: "unknown", version: "" };
  #capabilities: Params = {};

  get info(): ClientInfo {
    return this.#info;
  }

  initialized(params: Params | undefined): void {
    this.#info = infoOf(params?.["clientInfo"]);
    this.#capabilities = (params?.["capabilities"] ?? {}) as Params;
  }

  abilities(params: Params | undefined): Abilities {
    const modern = isModern(params);
    if (modern) this.#info = infoOf(envelope(params, "clientInfo"));
    const { elicitation } = modern ? ((envelope(params, "clientCapabilities") ?? {}) as Params) : this.#capabilities;
    const kinds = (elicitation ?? undefined) as Record<string, unknown> | undefined;
    return {
      modern,
      url: kinds?.["url"] !== undefined,
      // Before there were kinds, saying nothing meant forms.
      form: kinds !== undefined && (kinds["form"] !== undefined || kinds["url"] === undefined),
    };
  }
}

function infoOf(said: unknown): ClientInfo {
  const { name, version } = (said ?? {}) as Partial<Record<"name" | "version", unknown>>;
  return { name: typeof name === "string" ? name : "unknown", version: typeof version === "string" ? version : "" };
}
