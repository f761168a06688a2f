export type { GateLike } from "../gate-like.js";
export type { AdapterOptions, Declaration } from "../options.js";
export { isTold, type Told } from "../told.js";
export { gated, type ToolContext } from "./gated.js";
export { type GatedCalls, type GatedCallsOptions, gatedCalls } from "./middleware.js";
