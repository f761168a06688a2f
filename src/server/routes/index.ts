import type { AnyRoute } from "../http/route.js";
import type { Service } from "../service.js";
import { approvalRoutes } from "./approvals.js";
import { callRoutes } from "./calls.js";
import { liveRoutes } from "./live.js";

/** Every route there is, in the order of the reference page. */
export function allRoutes(service: Service): AnyRoute[] {
  return [...callRoutes(service), ...approvalRoutes(service), ...liveRoutes(service)];
}
