import type { AnyRoute } from "../http/route.js";
import type { Service } from "../service.js";
import { accountRoutes } from "./accounts.js";
import { aftermathRoutes, looseEndRoutes } from "./aftermath.js";
import { agentRoutes } from "./agents.js";
import { answeringRoutes, groupRoutes } from "./answering.js";
import { approvalRoutes } from "./approvals.js";
import { auditRoutes } from "./audit.js";
import { authRoutes } from "./auth.js";
import { callRoutes } from "./calls.js";
import { deviceRoutes } from "./devices.js";
import { historyRoutes } from "./history.js";
import { liveRoutes } from "./live.js";
import { meRoutes } from "./me.js";
import { memberRoutes } from "./members.js";
import { operationRoutes } from "./operations.js";
import { policyRoutes } from "./policy.js";
import { privacyRoutes } from "./privacy.js";
import { referenceRoutes } from "./reference.js";
import { replyRoutes } from "./replies.js";
import { standingRoutes } from "./standing.js";
import { toolRoutes } from "./tools.js";
import { workspaceRoutes } from "./workspace.js";

/** Every route there is, in the order of the reference page. Of two that fit an address the first one answers. */
export function allRoutes(service: Service): AnyRoute[] {
  const routes = [
    ...callRoutes(service),
    ...groupRoutes(service),
    ...looseEndRoutes(service),
    ...approvalRoutes(service),
    ...answeringRoutes(service),
    ...aftermathRoutes(service),
    ...standingRoutes(service),
    ...toolRoutes(service),
    ...policyRoutes(service),
    ...historyRoutes(service),
    ...workspaceRoutes(service),
    ...replyRoutes(service),
    ...auditRoutes(service),
    ...privacyRoutes(service),
    ...liveRoutes(service),
    ...authRoutes(service),
    ...meRoutes(service),
    ...accountRoutes(service),
    ...memberRoutes(service),
    ...agentRoutes(service),
    ...deviceRoutes(service),
    ...operationRoutes(service),
  ];
  return [...routes, ...referenceRoutes(routes)];
}
