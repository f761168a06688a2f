import { z } from "zod";
import { CountersignError } from "../../core/errors.js";
import { sessionOf } from "../http/credentials.js";
import { type AnyRoute, DONE, ok, route } from "../http/route.js";
import { type Link, linkUrl } from "../identity/index.js";
import type { Service } from "../service.js";
import { wireTime } from "../views.js";
import { id } from "../wire/common.js";
import { group, joined, link, linkToken, member, name, role, sessionView } from "../wire/people.js";
import { signedIn } from "./auth.js";

const tag = "People";
const userParams = z.strictObject({ userId: id });
const manage = "workspace.manage" as const;

/** Who belongs to a workspace and as what. The rules stand in identity; what weakens asks for a fresh passkey there. */
export function memberRoutes(service: Service): AnyRoute[] {
  const { members, persons } = service.identity;
  return [
    route({
      method: "post",
      path: "/v1/workspaces",
      tag,
      summary: "Make a workspace of your own",
      access: "session",
      perMinute: 10,
      body: z.strictObject({ name }),
      answers: { 201: { description: "Made", schema: z.object({ workspaceId: id }) } },
      handle: async ({ by, body }) => ({
        status: 201,
        body: { workspaceId: await persons.createWorkspace(by, body.name) },
      }),
    }),
    route({
      method: "get",
      path: "/v1/members",
      tag,
      summary: "The people of the workspace",
      access: "person",
      answers: { 200: { description: "Everybody", schema: z.object({ members: z.array(member) }) } },
      handle: async ({ by }) => ok({ members: await members.list(by) }),
    }),
    route({
      method: "patch",
      path: "/v1/members/{userId}",
      tag,
      summary: "Give somebody another role",
      access: "person",
      permission: manage,
      params: userParams,
      body: z.strictObject({ role }),
      answers: { 204: { description: "Changed" } },
      async handle({ by, params, body }) {
        await members.setRole(by, params.userId, body.role);
        return DONE;
      },
    }),
    route({
      method: "post",
      path: "/v1/members/{userId}/confirm",
      tag,
      summary: "Make the role that an invitation named active, now that you have seen who came",
      access: "person",
      permission: manage,
      params: userParams,
      body: z.strictObject({}),
      answers: { 204: { description: "Confirmed" } },
      async handle({ by, params }) {
        await members.confirm(by, params.userId);
        return DONE;
      },
    }),
    route({
      method: "delete",
      path: "/v1/members/{userId}",
      tag,
      summary: "Remove somebody, or leave",
      access: "person",
      params: userParams,
      answers: { 204: { description: "Gone; their keys stop at the same moment" } },
      async handle({ by, params }) {
        await members.remove(by, params.userId);
        return DONE;
      },
    }),
    route({
      method: "post",
      path: "/v1/members/{userId}/recover",
      tag,
      summary: "A link for somebody who lost every passkey",
      access: "person",
      permission: manage,
      perMinute: 10,
      secret: true,
      params: userParams,
      body: z.strictObject({}),
      answers: { 200: { description: "Shown once", schema: link } },
      handle: async ({ by, params }) => ok(wireLink(service, "sign_in", await persons.recover(by, params.userId))),
    }),
    ...groupRoutes(service),
    ...invitationRoutes(service),
  ];
}

function groupRoutes({ identity: { groups } }: Service): AnyRoute[] {
  const groupParams = z.strictObject({ name });
  const memberParams = z.strictObject({ name, userId: id });
  return [
    route({
      method: "get",
      path: "/v1/groups",
      tag,
      summary: "The groups that a policy can route to",
      access: "person",
      answers: { 200: { description: "All of them", schema: z.object({ groups: z.array(group) }) } },
      handle: async ({ by }) => ok({ groups: await groups.list(by) }),
    }),
    route({
      method: "post",
      path: "/v1/groups",
      tag,
      summary: "Make a group",
      access: "person",
      permission: manage,
      body: z.strictObject({ name }),
      answers: { 204: { description: "Made" } },
      async handle({ by, body }) {
        await groups.create(by, body.name);
        return DONE;
      },
    }),
    route({
      method: "delete",
      path: "/v1/groups/{name}",
      tag,
      summary: "Remove a group",
      access: "person",
      permission: manage,
      params: groupParams,
      answers: { 204: { description: "Gone" } },
      async handle({ by, params }) {
        await groups.remove(by, params.name);
        return DONE;
      },
    }),
    route({
      method: "put",
      path: "/v1/groups/{name}/members/{userId}",
      tag,
      summary: "Put somebody into a group",
      access: "person",
      permission: manage,
      params: memberParams,
      body: z.strictObject({}),
      answers: { 204: { description: "Added" } },
      async handle({ by, params }) {
        await groups.add(by, params.name, params.userId);
        return DONE;
      },
    }),
    route({
      method: "delete",
      path: "/v1/groups/{name}/members/{userId}",
      tag,
      summary: "Take somebody out of a group",
      access: "person",
      permission: manage,
      params: memberParams,
      answers: { 204: { description: "Taken out" } },
      async handle({ by, params }) {
        await groups.take(by, params.name, params.userId);
        return DONE;
      },
    }),
  ];
}

function invitationRoutes(service: Service): AnyRoute[] {
  const { identity, doors } = service;
  const { invitations } = identity;
  return [
    route({
      method: "post",
      path: "/v1/invitations",
      tag,
      summary: "A one-time link into the workspace",
      access: "person",
      permission: manage,
      perMinute: 30,
      secret: true,
      body: z.strictObject({ role }),
      answers: { 201: { description: "Shown once", schema: link.extend({ invitationId: id }) } },
      async handle({ by, body }) {
        const { invitationId, ...made } = await invitations.create(by, body.role);
        return { status: 201, body: { invitationId, ...wireLink(service, "invitation", made) } };
      },
    }),
    route({
      method: "post",
      path: "/v1/invitations/accept",
      tag,
      summary: "Join: as who is signed in, or as somebody new who names themselves",
      access: "anyone",
      perMinute: 30,
      secret: true,
      body: z.strictObject({ token: linkToken, name: name.optional() }),
      answers: { 200: { description: "Joined", schema: joined.extend({ session: sessionView.optional() }) } },
      async handle({ body, request }) {
        const session = await sessionOf(identity, doors, request);
        if (session !== undefined) return ok(await invitations.accept(body.token, session));
        if (body.name === undefined) {
          throw new CountersignError("invalid_request", "Say how you want to be called.", { path: "body.name" });
        }
        const { token, session: started, ...as } = await invitations.acceptAsNew(body.token, { name: body.name });
        return signedIn(service, { token, session: started }, as);
      },
    }),
    route({
      method: "delete",
      path: "/v1/invitations/{invitationId}",
      tag,
      summary: "Take an invitation back",
      access: "person",
      permission: manage,
      params: z.strictObject({ invitationId: id }),
      answers: { 204: { description: "It leads nowhere now" } },
      async handle({ by, params }) {
        await invitations.revoke(by, params.invitationId);
        return DONE;
      },
    }),
  ];
}

function wireLink({ doors }: Service, purpose: "sign_in" | "invitation", { token, expiresAt }: Link) {
  return { token, url: linkUrl(doors.origins[0] ?? "", purpose, token), expiresAt: wireTime(expiresAt) };
}
