import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AutonomousMode, Settings as Kept, SettingsPatch as Patch } from "countersign";
import { get, request } from "./http.js";
import { withFreshPasskey } from "./passkeys.js";

type Mode = Omit<AutonomousMode, "since" | "until"> & { readonly until: string };

/** On the wire times are texts. */
export type Settings = Omit<Kept, "autonomous"> & { readonly autonomous?: Mode };
export type SettingsPatch = Omit<Patch, "autonomous"> & {
  readonly autonomous?: { readonly on: false } | (Mode & { readonly on: true });
};

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
