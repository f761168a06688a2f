import type { Told } from "../crash/child.js";
import type { Cluster } from "./cluster.js";
import { type Answered, ask, type Headers, newAgent, signIn } from "./http.js";

/** Answers that say "not now, ask again", and that nothing was promised. */
const LATER: readonly number[] = [429, 503];
const DENIED_EVERY = 10;
const ANSWERS_AT_ONCE = 8;
/** What a person is told who answers again, because the reply to the first answer was lost. */
const SETTLED: readonly string[] = ["already_resolved"];

interface Shown {
  readonly approvalId: string;
  readonly toolCallHash: string;
}

/** Agents that ask through any instance, and a person who answers at any other; and what all of them were told. */
export class Load {
  /** What was acknowledged, and so must still be so in the end. */
  readonly told: Told[] = [];
  /** Answers that are neither a success nor "ask again": there should be none. */
  readonly odd: string[] = [];
  done = 0;
  readonly #cluster: Cluster;
  readonly #count: number;
  readonly #agent: Headers;
  readonly #owner: Headers;
  readonly #marks: { readonly at: number; readonly reached: () => void }[] = [];
  #next = 0;

  static async on(cluster: Cluster, count: number): Promise<Load> {
    const anyone = (asked: Parameters<typeof ask>[1]) => ask(cluster.next() ?? "", asked);
    const owner = await signIn(anyone, cluster.link);
    return new Load(cluster, count, owner, (await newAgent(anyone, owner)).headers);
  }

  private constructor(cluster: Cluster, count: number, owner: Headers, agent: Headers) {
    this.#cluster = cluster;
    this.#count = count;
    this.#owner = owner;
    this.#agent = agent;
  }

  /** Resolves when so many calls have ended. */
  reaches(at: number): Promise<void> {
    if (this.done >= at) return Promise.resolve();
    return new Promise((reached) => this.#marks.push({ at, reached }));
  }

  /** Resolves when every call has ended, whatever happened meanwhile. */
  async run(clients: number): Promise<void> {
    const answering = this.#answerAll();
    await Promise.all(Array.from({ length: clients }, () => this.#agentLoop()));
    await answering;
  }

  async #agentLoop(): Promise<void> {
    while (this.#next < this.#count) {
      const n = this.#next++;
      let ended = false;
      while (!ended) ended = await this.#askFor(n);
      this.done++;
      for (const mark of this.#marks.filter(({ at }) => at <= this.done)) {
        this.#marks.splice(this.#marks.indexOf(mark), 1);
        mark.reached();
      }
    }
  }

  /** Asks with the same key until the call has ended. True when it has. */
  async #askFor(n: number): Promise<boolean> {
    const answer = await this.#send({
      method: "POST",
      path: "/v1/calls?wait=20",
      // A session each: one that is denied often is not asked for any more.
      body: { tool: "task.update", args: { n }, sessionId: `session-${n}` },
      headers: { ...this.#agent, "idempotency-key": `call-${n}` },
    });
    if (answer === undefined) return false;
    const { approvalId, type } = answer.body as { approvalId?: string; type?: string };
    if (approvalId === undefined || type === undefined) return this.#isOdd(answer);
    if (type === "pending") {
      this.told.push({ step: "held", approvalId, as: type });
      return false;
    }
    this.told.push({ step: "ended", approvalId, as: type });
    return true;
  }

  /** The person looks and answers what waits, a few at a time, each few at another instance. */
  async #answerAll(): Promise<void> {
    while (this.done < this.#count) {
      const page = await this.#send({ path: "/v1/approvals?limit=100", headers: this.#owner });
      if (page !== undefined && page.status !== 200) this.#isOdd(page);
      const waiting = [...((page?.body["approvals"] ?? []) as readonly Shown[])];
      const answers: Promise<void>[] = [];
      while (waiting.length > 0) answers.push(this.#answer(waiting.splice(0, ANSWERS_AT_ONCE)));
      await Promise.all(answers);
    }
  }

  async #answer(shown: readonly Shown[]): Promise<void> {
    const decisions = shown.map(({ approvalId, toolCallHash }) => ({
      approvalId,
      toolCallHash,
      decision: Number.parseInt(toolCallHash.slice(-4), 16) % DENIED_EVERY === 0 ? "deny" : "approve",
    }));
    const path = "/v1/approvals/decisions";
    const answer = await this.#send({ method: "POST", path, body: { decisions }, headers: this.#owner });
    if (answer === undefined) return;
    if (answer.status !== 200) return void this.#isOdd(answer);
    for (const [index, result] of (answer.body["results"] as readonly Record<string, unknown>[]).entries()) {
      const { approvalId = "", decision } = decisions[index] ?? {};
      const as = decision === "approve" ? "approved" : "denied";
      if (!("status" in result)) this.told.push({ step: "decided", approvalId, as });
      else if (!SETTLED.includes(String(result["code"])) && !LATER.includes(Number(result["status"])))
        this.odd.push(JSON.stringify(result));
    }
  }

  /** At the next instance in turn. Undefined when there was no answer, or none yet. */
  async #send(request: Parameters<typeof ask>[1]): Promise<Answered | undefined> {
    const url = this.#cluster.next();
    const answer = url === undefined ? undefined : await ask(url, request).catch(() => undefined);
    if (answer !== undefined && !LATER.includes(answer.status)) return answer;
    // Nobody there: the event loop goes on, and whoever restarts them has its turn.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return undefined;
  }

  #isOdd({ status, body }: Answered): false {
    this.odd.push(`${status} ${JSON.stringify(body)}`);
    return false;
  }
}
