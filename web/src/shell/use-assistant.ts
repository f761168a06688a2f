import { useQuery } from "@tanstack/react-query";

/** Whether an assistant is mounted here: its address answers something else than that there is nothing. Undefined until it is known. */
export function useHasAssistant(): boolean | undefined {
  const found = useQuery({
    queryKey: ["assistant"],
    queryFn: async () => {
      const response = await fetch("/agent/commands", { credentials: "same-origin" });
      return response.ok && (response.headers.get("content-type") ?? "").includes("json");
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return found.data;
}
