import { useQuery } from "@tanstack/react-query";
import type { RiskTier } from "countersign";
import { usePreferences } from "../shell/preferences.js";
import { get } from "./http.js";

/** The part of JSON Schema that a form can be made from. What it does not know is edited as JSON. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly items?: FieldSchema;
  readonly format?: string;
}

export interface ToolView {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly app: string;
  readonly effect: "read" | "write";
  readonly riskTier?: RiskTier;
  readonly destructive: boolean;
  /** Whether it asks by itself: from the arguments where `depends`, by its tier where absent. */
  readonly confirm?: boolean | "depends";
  readonly inputSchema?: FieldSchema;
  readonly can: { readonly dryRun: boolean; readonly preview: boolean; readonly undo: boolean };
}

export function useTools() {
  const { locale } = usePreferences();
  return useQuery({
    queryKey: ["tools", locale],
    queryFn: () => get<{ tools: ToolView[] }>(`/v1/tools?locale=${locale}`),
    staleTime: 60_000,
  });
}

export function useTool(name: string): ToolView | undefined {
  return useTools().data?.tools.find((tool) => tool.name === name);
}
