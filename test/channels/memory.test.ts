import { describeChannel } from "./contract.js";
import { memoryStandIn } from "./stand-ins/memory.js";

describeChannel("in memory", memoryStandIn);
