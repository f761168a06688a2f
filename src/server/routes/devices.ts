import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import { escapeText } from "../../core/text/escape.js";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { DEVICE_WAITS, type DeviceView, type PersonPrincipal } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireTime, withTimes } from "../views.js";
import { deviceView, exchanged } from "../wire/agents.js";
import { id } from "../wire/common.js";
import { name } from "../wire/people.js";

const tag = "Devices";
const deviceParams = z.strictObject({ deviceId: id });
const TOKEN_PATH = "/v1/devices/token";

/**
 * Devices from which keys work. A new one is a question to the key's owner: it is told live as `device.requested`, listed here
 * with its card, and answered by the owner with a fresh passkey. It is no approval of the gate, because nothing runs by it.
 */
export function deviceRoutes(service: Service): AnyRoute[] {
  const { devices } = service.identity;
  const decide = (verb: "approve" | "deny" | "revoke", summary: string) =>
    route({
      method: "post",
      path: `/v1/devices/{deviceId}/${verb}`,
      tag,
      summary,
      access: "person",
      params: deviceParams,
      body: z.strictObject({}),
      answers: { 204: { description: "Written down" } },
      async handle({ by, params }) {
        await devices[verb](by, params.deviceId);
        return DONE;
      },
    });
  return [
    route({
      method: "get",
      path: "/v1/devices",
      tag,
      summary: "Devices of your agents; those that wait come with their card",
      access: "person",
      answers: { 200: { description: "Devices", schema: z.object({ devices: z.array(deviceView) }) } },
      handle: async ({ by }) => ok({ devices: await listed(service, by) }),
    }),
    decide("approve", "Let a key of yours work from this device"),
    decide("deny", "Refuse a device, for ever"),
    decide("revoke", "Take a device's right back; its tokens stop at once"),
    route({
      method: "post",
      path: TOKEN_PATH,
      tag,
      summary: "Exchange a device proof (RFC 9449, header DPoP) beside the key for a token of ten minutes",
      access: "anyone",
      perMinute: 60,
      secret: true,
      body: z.strictObject({ label: name.optional() }),
      answers: {
        200: { description: "A token for this device", schema: exchanged },
        202: { description: "The key's owner is asked", schema: exchanged },
      },
      async handle({ body, request }) {
        const apiKey = /^Bearer (\S{1,512})$/i.exec(request.header("authorization") ?? "")?.[1];
        if (apiKey === undefined) throw new CountersignError("not_signed_in", "Send the API key as a Bearer token.");
        const told = await devices.exchange(apiKey, request.header("dpop"), {
          method: "POST",
          // The server's own address, never the one a header names.
          url: `${service.doors.origins[0] ?? ""}${TOKEN_PATH}`,
          ...body,
        });
        return told.type === "bound" ? ok(withTimes(told, "expiresAt")) : { status: 202, body: told };
      },
    }),
  ];
}

async function listed({ identity }: Service, by: PersonPrincipal) {
  const views = await identity.devices.list(by);
  const agents = new Map((await identity.agents.list(by)).map((agent) => [agent.agentId, agent.name]));
  return views.map((view) => ({
    ...withTimes(view, "requestedAt", "lastUsedAt"),
    ...(view.status === "pending" ? { card: cardOf(view, agents.get(view.agentId) ?? view.agentId) } : {}),
  }));
}

function cardOf(view: DeviceView, called: string) {
  const { fingerprint, requestedAt } = view;
  // The device names itself: whatever cannot be seen in its name is made visible.
  const [agent, label] = [escapeText(called), escapeText(view.label)];
  return {
    asks: `May the keys of "${agent}" be used from the device "${label}"?`,
    agent,
    label,
    fingerprint,
    effect: `Compare the fingerprint with the one that the device shows. After a yes, ${agent} works from it until you revoke it.`,
    requestedAt: wireTime(requestedAt),
    expiresAt: wireTime(requestedAt + DEVICE_WAITS),
  };
}
