import { z } from "zod";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { may, type PersonPrincipal, personOf } from "../identity/index.js";
import type { Service } from "../service.js";
import { workspaceView } from "../wire/workspace.js";
import { settingsView } from "./standing.js";

const tag = "Workspace";
/** Enough to show that there is more than anybody looks through. */
const MOST = 1_000;

export function workspaceRoutes(service: Service): AnyRoute[] {
  return [
    route({
      method: "get",
      path: "/v1/workspace",
      tag,
      summary: "Where the workspace stands",
      access: "person",
      answers: { 200: { description: "The workspace", schema: workspaceView } },
      handle: async ({ by }) => ok(await lookAround(service, by)),
    }),
    route({
      method: "post",
      path: "/v1/workspace/pause",
      tag,
      summary: "Stop everything that is not claimed yet; or, with a fresh passkey, let it go on",
      access: "person",
      permission: "approval.decide",
      perMinute: 60,
      body: z.strictObject({ paused: z.boolean() }),
      answers: { 204: { description: "In effect everywhere within a second" } },
      async handle({ by, body }) {
        await service.gate.pause(by.workspaceId, body.paused, personOf(by));
        return DONE;
      },
    }),
  ];
}

async function lookAround({ gate, identity, proof, clock }: Service, by: PersonPrincipal) {
  const { workspaceId, role: as } = by;
  const workspaces = await identity.persons.workspaces(by.session);
  const { paused } = await gate.head(workspaceId);
  const mine = may(by, "approval.decide") ? await waiting(gate, by) : undefined;
  const { autonomous } = mine === undefined ? {} : settingsView(mine.settings);
  const on = autonomous !== undefined && Date.parse(autonomous.until) > clock.now();
  const devices = (await identity.devices.list(by)).filter(({ status }) => status === "pending").length;
  return {
    workspaceId,
    name: workspaces.find((each) => each.workspaceId === workspaceId)?.name ?? workspaceId,
    role: as,
    paused,
    storePromise: gate.store.promises(),
    privacy: await gate.privacy(workspaceId, proof.privacy),
    ...(on ? { autonomous } : {}),
    counts: { pending: 0, unknown: 0, withheld: 0, ...mine?.counts, devices },
  };
}

async function waiting(gate: Service["gate"], by: PersonPrincipal) {
  const person = personOf(by);
  const [settings, pending, unknown, withheld] = await Promise.all([
    gate.settings(person),
    gate.countPending(person, MOST),
    gate.unknownFor(person),
    gate.withheld(person),
  ]);
  return { settings, counts: { pending, unknown: unknown.length, withheld: withheld.length } };
}
