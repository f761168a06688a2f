import { type Approval, checkAudience, type Person } from "./approval.js";
import type { Engine } from "./engine.js";
import { errorOf, refuse } from "./errors.js";
import type { People } from "./ports.js";
import type { Soon } from "./soon.js";

/** Roles and groups come from the directory where there is one; what a request says of itself does not count then. */
export function vouched({ people }: Engine, person: Person, workspaceId: string): Soon<Person> {
  if (people === undefined || person?.kind !== "person" || person.workspaceId !== workspaceId) return person;
  return asMember(people, person);
}

async function asMember(people: People, person: Person): Promise<Person> {
  const member = await people.member(person.workspaceId, person.userId);
  if (member === undefined) throw errorOf(refuse("user_mismatch", "This person does not belong to the workspace."));
  // Begun with a name: a literal that begins with a copy and adds to it has a shape of its own each time (docs/speed.md).
  const { kind, ...rest } = person;
  return { kind, ...rest, roles: member.roles, groups: member.groups };
}

/** The person as one of the approval's audience. Throws for anybody else. */
export async function ofAudience(engine: Engine, approval: Approval, person: Person): Promise<Person> {
  const who = await vouched(engine, person, approval.workspaceId);
  const stranger = checkAudience(approval, who);
  if (stranger) throw errorOf(stranger);
  return who;
}

/** The person as a member of the workspace they name, for acts on what stands there. Throws for agents and keys. */
export async function memberOf(engine: Engine, person: Person): Promise<Person> {
  const isPerson = person?.kind === "person" && isName(person.userId) && isName(person.workspaceId);
  if (!isPerson) throw errorOf(refuse("user_mismatch", "Only a person can do this; agents and keys cannot."));
  return vouched(engine, person, person.workspaceId);
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name !== "";
}
