import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Settings, SettingsPatch } from "countersign";
import { get, request } from "./http.js";
import { withFreshPasskey } from "./passkeys.js";

export function useSettings() {
  return useQuery({ queryKey: ["settings"], queryFn: () => get<Settings>("/v1/settings") });
}

/** Changes settings; where less would be asked than before, the passkey is shown first. */
export function useChangeSettings() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (patch: SettingsPatch) => withFreshPasskey(() => request<Settings>("PATCH", "/v1/settings", patch)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["settings"] }),
  });
}
