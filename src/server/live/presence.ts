import { type Approval, checkAudience } from "../../core/approval.js";
import type { Clock, Notice, People } from "../../core/ports.js";
import type { IdentityDatabase } from "../identity/index.js";

/** For how long a person counts as there after their process last said so; a process that dies leaves them for this long. */
const LASTS = 60_000;
const SAY_EVERY = 20_000;

interface Person {
  readonly workspaceId: string;
  readonly userId: string;
}

/** Who is connected to which of several processes, told through the database they share. Says how long to wait, never who may. */
export class Presence {
  readonly #database: IdentityDatabase;
  readonly #clock: Clock;
  readonly #notice: Notice;
  /** Connections of each person to this process. */
  readonly #here = new Map<string, Person & { connections: number }>();
  #cancel: (() => void) | undefined;
  /** One after the other, so that who came back at once is not removed by the leaving before. */
  #writing: Promise<void> = Promise.resolve();

  constructor(database: IdentityDatabase, clock: Clock, notice: Notice) {
    this.#database = database;
    this.#clock = clock;
    this.#notice = notice;
    this.#schedule();
  }

  /** Resolves when others can know. */
  came({ workspaceId, userId }: Person): Promise<void> {
    const known = this.#here.get(keyOf(workspaceId, userId));
    if (known !== undefined) {
      known.connections++;
      return this.#writing;
    }
    const person = { workspaceId, userId, connections: 1 };
    this.#here.set(keyOf(workspaceId, userId), person);
    return this.#write(() => this.#say([person]));
  }

  went({ workspaceId, userId }: Person): void {
    const known = this.#here.get(keyOf(workspaceId, userId));
    if (known === undefined || --known.connections > 0) return;
    this.#here.delete(keyOf(workspaceId, userId));
    // Who is connected elsewhere too is said again there.
    const gone = "DELETE FROM identity_presence WHERE workspace_id = ? AND user_id = ?";
    void this.#write(async () => {
      await this.#database.transaction((queries) => queries.run(gone, workspaceId, userId), "relaxed");
    });
  }

  async in(workspaceId: string): Promise<readonly string[]> {
    const rows = await this.#database.all<{ user_id: string }>(
      "SELECT user_id FROM identity_presence WHERE workspace_id = ? AND seen_until > ?",
      workspaceId,
      this.#clock.now(),
    );
    return rows.map(({ user_id }) => user_id);
  }

  async close(): Promise<void> {
    this.#cancel?.();
    for (const { workspaceId, userId, connections } of [...this.#here.values()]) {
      for (let left = connections; left > 0; left--) this.went({ workspaceId, userId });
    }
    await this.#writing;
  }

  #schedule(): void {
    this.#cancel = this.#clock.timer(SAY_EVERY, () => {
      void this.#write(() => this.#say([...this.#here.values()]));
      this.#schedule();
    });
  }

  async #say(people: readonly Person[]): Promise<void> {
    if (people.length === 0) return;
    const until = this.#clock.now() + LASTS;
    // In one order for all processes: those that say the same people at the same time never wait for each other in a circle.
    const inOrder = people.toSorted((a, b) =>
      keyOf(a.workspaceId, a.userId) < keyOf(b.workspaceId, b.userId) ? -1 : 1,
    );
    await this.#database.transaction(async (queries) => {
      for (const { workspaceId, userId } of inOrder) {
        await queries.run(
          `INSERT INTO identity_presence (workspace_id, user_id, seen_until) VALUES (?, ?, ?)
           ON CONFLICT (workspace_id, user_id) DO UPDATE SET seen_until = excluded.seen_until`,
          workspaceId,
          userId,
          until,
        );
      }
    }, "relaxed");
  }

  /** Never rejects: a question that waits too long or too short is worth a line in the log, not a refused connection. */
  #write(step: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing
      .then(step)
      .catch((error: Error) => this.#notice("presence.failed", { why: error.message }));
    return this.#writing;
  }
}

/** Whether somebody who may answer this is connected to any process. */
export async function isThere(presence: Presence, people: People, approval: Approval): Promise<boolean> {
  const { workspaceId } = approval;
  for (const userId of await presence.in(workspaceId)) {
    const member = await people.member(workspaceId, userId);
    const person = { kind: "person" as const, userId, workspaceId, ...member };
    if (member !== undefined && checkAudience(approval, person) === undefined) return true;
  }
  return false;
}

const keyOf = (workspaceId: string, userId: string): string => `${workspaceId}/${userId}`;
