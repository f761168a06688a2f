export { type ChannelSetup, channelSetup, channelsFrom } from "./open-desk.js";
export { type Tried, type TryOptions, tryChannel } from "./try-channel.js";
