import { useQuery } from "@tanstack/react-query";
import type { ApprovalView, MemberView } from "countersign/client";
import { useCallback } from "react";
import { get } from "../api/http.js";
import { visible } from "../ui/json-text.js";

export function useMembers() {
  return useQuery({
    queryKey: ["members"],
    queryFn: () => get<{ members: MemberView[] }>("/v1/members"),
    staleTime: 60_000,
  });
}

/** Letters, digits and what joins them: such a name cannot go on as words of the sentence it stands in. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@'-]*$/u;

/**
 * How a person is called, ready to be shown: as the server says where it said so, by the list of members otherwise. People name
 * themselves, so that where two share a name the id tells them apart.
 */
export function useNames(): (userId: string, said?: string) => string {
  const { data } = useMembers();
  return useCallback(
    (userId: string, said?: string) => {
      const name = data?.members.find((member) => member.userId === userId)?.name;
      if (name === undefined) return said ?? visible(userId);
      const isShared = data?.members.some((member) => member.userId !== userId && member.name === name) === true;
      const called = said ?? (PLAIN.test(name) ? name : `“${visible(name)}”`);
      return isShared ? `${called} (${visible(userId)})` : called;
    },
    [data],
  );
}

/** What the agent is called that asks; its id where it has no name. */
export function agentOf({ requester }: Pick<ApprovalView, "requester">): string {
  return requester.agentName ?? visible(requester.agentId);
}
