export function agentPath(agentId?: string, more = ""): string {
  return agentId === undefined ? "/v1/agents" : `/v1/agents/${encodeURIComponent(agentId)}${more}`;
}
