import type { AnyRoute } from "../http/route.js";
import type { Service } from "../service.js";
import { agentRoutes } from "./agents.js";
import { approvalRoutes } from "./approvals.js";
import { authRoutes } from "./auth.js";
import { callRoutes } from "./calls.js";
import { deviceRoutes } from "./devices.js";
import { meRoutes } from "./me.js";
import { memberRoutes } from "./members.js";
import { operationRoutes } from "./operations.js";

/** Every route there is, in the order of the reference page. Of two that fit an address the first one answers. */
export function allRoutes(service: Service): AnyRoute[] {
  return [
    ...callRoutes(service),
    ...approvalRoutes(service),
    ...authRoutes(service),
    ...meRoutes(service),
    ...memberRoutes(service),
    ...agentRoutes(service),
    ...deviceRoutes(service),
    ...operationRoutes(service),
  ];
}
