import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { get } from "../api/http.js";
import type { Member } from "../api/people.js";
import { visible } from "../ui/json-text.js";

export function useMembers(enabled = true) {
  return useQuery({
    queryKey: ["members"],
    queryFn: () => get<{ members: Member[] }>("/v1/members"),
    staleTime: 60_000,
    enabled,
  });
}

/** How a person is called, ready to be shown. People name themselves: where two share a name, the id tells them apart. */
export function useNames(): (userId: string) => string {
  const { data } = useMembers();
  return useCallback(
    (userId: string) => {
      const name = data?.members.find((member) => member.userId === userId)?.name;
      if (name === undefined) return visible(userId);
      const isShared = data?.members.some((member) => member.userId !== userId && member.name === name) === true;
      return visible(isShared ? `${name} (${userId})` : name);
    },
    [data],
  );
}
