import { z } from "zod";
import type { GrantView } from "../../client/wire-standing.js";
import type { SettingsPatch } from "../../core/judging/change-settings.js";
import type { GrantView as Grant } from "../../core/judging/granting.js";
import type { Settings } from "../../core/judging/settings.js";
import { showName } from "../../core/text/inline.js";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { type Identity, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { withTimes } from "../views.js";
import { approvalQuery } from "../wire/approval.js";
import { id } from "../wire/common.js";
import { grantView, scope, settings, settingsPatch } from "../wire/standing.js";

const tag = "What runs without asking";
const permission = "approval.decide" as const;
const access = "person" as const;

/** Standing permissions and one's own settings. Tightening needs nothing; what weakens needs a fresh passkey. */
export function standingRoutes({ gate, identity }: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/grants",
      tag,
      summary: "Grants that you gave, are served by or answer for",
      access,
      permission,
      query: approvalQuery,
      answers: { 200: { description: "Grants", schema: z.object({ grants: z.array(grantView) }) } },
      async handle({ by, query }) {
        const grants = await gate.grants(personOf(by), query.locale);
        return ok({ grants: await Promise.all(grants.map((grant) => named(identity, by.workspaceId, grant))) });
      },
    }),
    route({
      method: "delete",
      path: "/v1/grants/{grantId}",
      tag,
      summary: "End a grant, also for what was let through by it and is not claimed yet",
      access,
      permission,
      params: z.strictObject({ grantId: id }),
      answers: { 204: { description: "Ended" } },
      async handle({ by, params }) {
        await gate.revokeGrant(params.grantId, personOf(by));
        return DONE;
      },
    }),
    route({
      method: "get",
      path: "/v1/settings",
      tag,
      summary: "Your settings in this workspace",
      access,
      permission,
      answers: { 200: { description: "Settings", schema: settings } },
      handle: async ({ by }) => ok(settingsView(await gate.settings(personOf(by)))),
    }),
    route({
      method: "patch",
      path: "/v1/settings",
      tag,
      summary: "Change your settings; never answers what is pending",
      access,
      permission,
      perMinute: 60,
      body: settingsPatch,
      answers: { 200: { description: "Changed", schema: settings } },
      handle: async ({ by, body }) => ok(settingsView(await gate.updateSettings(patchOf(body), personOf(by)))),
    }),
    route({
      method: "put",
      path: "/v1/sessions-scope/{sessionId}",
      tag,
      summary:
        "Set the paths and domains that a session works on, yours or as an owner a member's; what leaves them asks",
      access,
      permission,
      perMinute: 60,
      params: z.strictObject({ sessionId: id }),
      query: z.strictObject({ userId: id.optional() }),
      body: scope,
      answers: { 204: { description: "Set" } },
      async handle({ by, params, query, body }) {
        await gate.setScope(params.sessionId, body, personOf(by), query.userId);
        return DONE;
      },
    }),
  ];
}

async function named({ names }: Identity, workspaceId: string, grant: Grant): Promise<GrantView> {
  const [agentName, givenByName] = [
    await names.nameOf(workspaceId, grant.agentId),
    await names.nameOf(workspaceId, grant.givenBy),
  ];
  return {
    ...grant,
    ...(agentName === undefined ? {} : { agentName: showName(agentName) }),
    ...(givenByName === undefined ? {} : { givenByName: showName(givenByName) }),
  };
}

export function settingsView({ autonomous, ...rest }: Settings) {
  return { ...rest, ...(autonomous === undefined ? {} : { autonomous: withTimes(autonomous, "since", "until") }) };
}

type Patch = Omit<SettingsPatch, "autonomous"> & {
  readonly autonomous?:
    | { readonly on: false }
    | (Omit<Extract<NonNullable<SettingsPatch["autonomous"]>, { on: true }>, "until"> & { readonly until: string });
};

function patchOf({ autonomous, ...rest }: Patch): SettingsPatch {
  if (autonomous === undefined) return rest;
  return { ...rest, autonomous: autonomous.on ? { ...autonomous, until: Date.parse(autonomous.until) } : autonomous };
}
