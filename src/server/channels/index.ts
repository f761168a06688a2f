export { type ChannelSetup, channelSetup, channelsFrom } from "./open-desk.js";
export { tryChannel } from "./try-channel.js";
