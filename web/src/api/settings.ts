import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SettingsChange, SettingsView } from "countersign/client";
import { get, request } from "./http.js";
import { withFreshPasskey } from "./passkeys.js";

export function useSettings() {
  return useQuery({ queryKey: ["settings"], queryFn: () => get<SettingsView>("/v1/settings") });
}

/** Changes settings; where less would be asked than before, the passkey is shown first. */
export function useChangeSettings() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (patch: SettingsChange) =>
      withFreshPasskey(() => request<SettingsView>("PATCH", "/v1/settings", patch)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["settings"] }),
  });
}
