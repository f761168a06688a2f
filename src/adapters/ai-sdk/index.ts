export type { GateLike } from "../gate-like.js";
export type { AdapterOptions, Declaration } from "../options.js";
export { isTold, type Told } from "../told.js";
export { type GatedTools, gated } from "./gated.js";
export { type Pausing, pausing } from "./pausing.js";
