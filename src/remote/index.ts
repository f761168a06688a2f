export { type ConnectOptions, connectGate, type RemoteGate } from "./connect-gate.js";
export { fileDevice } from "./file-device.js";
