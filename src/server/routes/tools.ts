import { z } from "zod";
import type { Settings } from "../../core/judging/settings.js";
import { schemaIn } from "../../core/labels.js";
import { type AnyTool, type Locale, textIn } from "../../core/tool.js";
import { type AnyRoute, ok, route } from "../http/route.js";
import { may, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { locale } from "../wire/common.js";
import { toolView } from "../wire/standing.js";
import { toolsBody, toolsTaken } from "../wire/tools.js";

const tag = "Tools";

export function toolRoutes({ gate, identity, tools: shelf }: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/tools",
      tag,
      summary: "The tools of this gate and of your agents, with what you have set for them",
      access: "person",
      query: z.strictObject({ locale: locale.optional() }),
      answers: { 200: { description: "Tools", schema: z.object({ tools: z.array(toolView) }) } },
      async handle({ by, query }) {
        const settings = may(by, "approval.decide") ? await gate.settings(personOf(by)) : undefined;
        const view = (tool: AnyTool) => viewOf(tool, settings, query.locale ?? "en");
        const { workspaceId } = by;
        const agents = (await identity.agents.list(by)).filter(({ revokedAt }) => revokedAt === null);
        const declared = agents.flatMap(({ agentId }) =>
          gate.registry.declared({ workspaceId, agentId }).map((tool) => ({ ...view(tool), agentId })),
        );
        return ok({ tools: [...gate.registry.list().map(view), ...declared] });
      },
    }),
    route({
      method: "post",
      path: "/v1/tools",
      tag,
      summary: "Declare tools that you run yourself; a later word replaces an earlier one",
      access: "agent",
      perMinute: 30,
      body: toolsBody,
      answers: { 200: { description: "Taken", schema: toolsTaken } },
      async handle({ by, body }) {
        const tools = await shelf.declare(by, body.tools);
        return ok({
          tools: tools.map(({ name, fingerprint, riskTier }) => ({
            name,
            fingerprint,
            ...(riskTier === undefined ? {} : { riskTier }),
          })),
        });
      },
    }),
  ];
}

function viewOf(tool: AnyTool, settings: Settings | undefined, language: Locale): z.input<typeof toolView> {
  const { name, description, version, app, effect, destructive, riskTier, tags, confirm } = tool;
  const schema = schemaIn(tool, language);
  const title = textIn(tool.title, language);
  const setting = settings !== undefined && Object.hasOwn(settings.tools, name) ? settings.tools[name] : undefined;
  const appSetting = settings !== undefined && Object.hasOwn(settings.apps, app) ? settings.apps[app] : undefined;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    version,
    app,
    effect,
    destructive,
    ...(riskTier === undefined ? {} : { riskTier }),
    tags: [...tags],
    ...(confirm === undefined ? {} : { confirm: typeof confirm === "function" ? ("depends" as const) : confirm }),
    ...(schema === undefined ? {} : { inputSchema: schema as z.input<typeof toolView>["inputSchema"] }),
    can: {
      dryRun: tool.dryRun !== undefined,
      preview: tool.preview !== undefined,
      undo: tool.rollback?.call !== undefined,
    },
    hosted: tool.execute !== undefined,
    ...(setting === undefined ? {} : { setting }),
    ...(appSetting === undefined ? {} : { appSetting }),
  };
}
