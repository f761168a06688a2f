import { useQuery } from "@tanstack/react-query";
import type { ToolView as ToldTool } from "countersign/client";
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

export type ToolView = Omit<ToldTool, "inputSchema"> & { readonly inputSchema?: FieldSchema };

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
