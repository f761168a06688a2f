export type { Mount, Visitor } from "./mounts.js";
export { type Served, type ServeOptions, serve } from "./serve.js";
