import { describeChannel } from "./contract.js";
import { wholeCards } from "./stand-ins/dingtalk/whole-cards.js";
import { dingtalkStandIn } from "./stand-ins/dingtalk.js";

describeChannel("DingTalk with a template, on the stand-in", () => dingtalkStandIn({ template: true }));
describeChannel(
  "DingTalk without a template, on the stand-in",
  async () => wholeCards(await dingtalkStandIn({ template: false })),
  { redraws: false, buttons: false },
);
