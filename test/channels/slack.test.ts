import { describeChannel } from "./contract.js";
import { SlackStandIn } from "./stand-ins/slack.js";

describeChannel("slack", () => SlackStandIn.open());
