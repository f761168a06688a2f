export { type ChannelSetup, channelSetup, channelsFrom } from "./channels/index.js";
export { type LogOptions, logger } from "./log.js";
export type { Mount, Visitor } from "./mounts.js";
export { type Served, type ServeOptions, serve } from "./serve.js";
export { makeSignInLink } from "./sign-in-link.js";
export { type StartOptions, startServer } from "./start.js";
