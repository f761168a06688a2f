export type { GateLike } from "../gate-like.js";
export type { Declaration } from "../options.js";
export type { Trust } from "./asking.js";
export type { ClientInfo } from "./client-state.js";
export { readServers, type ServerSpec, type Servers } from "./config.js";
export { gateNameOf, type ServerDeclaration } from "./definition.js";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.js";
export {
  type Connection,
  type Installed,
  type InstallOptions,
  installGateway,
  keptConnection,
  uninstallGateway,
} from "./install.js";
export { INSTALL_CLIENTS } from "./install-clients.js";
export { filePins, memoryPins, type Pins } from "./pins.js";
