import fc from "fast-check";
import { CALLERS, type CallerName, PEOPLE, type PersonName, TOOLS, type ToolName, WORKSPACES } from "./cast.js";
import type { Fate } from "./fake-process.js";
import type { Model } from "./model.js";
import type { Real } from "./real.js";
import { callAt, type Op, type World } from "./scene.js";
import { notForThem } from "./world.js";

/** An op whose call is still to be picked: the n-th from the end, so that recent ones meet often. */
type Pick = (world: World, model: Model, call?: number) => Op | undefined;
interface Act {
  readonly pick: Pick;
  readonly text: string;
}

export type Command = fc.AsyncCommand<Model, Real>;

const person = fc.constantFrom(...(Object.keys(PEOPLE) as PersonName[]));
const caller = fc.oneof(
  { weight: 4, arbitrary: fc.constant<CallerName>("first") },
  { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(CALLERS) as CallerName[])) },
);
const seat = fc.constantFrom(0, 1);
const recent = fc.nat({ max: 3 });
const ending = fc.constantFrom("succeeded" as const, "failed" as const);
const args = fc.record({
  n: fc.nat({ max: 2 }),
  wait: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  fails: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

function nth(world: World, back: number): number | undefined {
  return world.calls.length === 0 ? undefined : Math.max(0, world.calls.length - 1 - back);
}

function onCall<T extends { readonly back: number }>(
  arbitrary: fc.Arbitrary<T>,
  op: (input: T, call: number, world: World, model: Model) => Op,
): fc.Arbitrary<Act> {
  return arbitrary.map((input) => ({
    text: JSON.stringify(input),
    pick: (world, model, call = nth(world, input.back)) => {
      return call === undefined ? undefined : op(input, call, world, model);
    },
  }));
}

const asking = fc.record({
  tool: fc.constantFrom(...(Object.keys(TOOLS) as ToolName[])),
  caller,
  args,
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: undefined, freq: 4 }),
  waits: fc.boolean(),
});
type Asking = typeof asking extends fc.Arbitrary<infer T> ? T : never;
const submitted = (input: Asking): Act => ({
  text: `submit ${JSON.stringify(input)}`,
  pick: () => ({ type: "submit", ...input }),
});
const submit = asking.map(submitted);
/** The same call twice. Calls that are allowed join only by key; without one they are two, and the log cannot tell whose is whose. */
const twins = asking.map((input): [Act, Act] => {
  const act = submitted(TOOLS[input.tool].asks ? input : { ...input, key: input.key ?? "k1" });
  return [act, act];
});

const decide = onCall(
  fc.record({
    type: fc.constant("decide" as const),
    back: recent,
    person: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom<PersonName>("ben", "cho") },
      { weight: 1, arbitrary: person },
    ),
    decision: fc.oneof(
      { weight: 4, arbitrary: fc.constant("approve" as const) },
      { weight: 1, arbitrary: fc.constant("deny" as const) },
    ),
    shown: fc.constantFrom("nothing", "current", "current", "first"),
    edit: fc.option(args, { nil: undefined, freq: 4 }),
  }),
  ({ decision, edit, shown, ...input }, call, world) => ({
    type: "decide",
    call,
    decision,
    person: input.person,
    shown:
      shown === "nothing" ? undefined : shown === "first" ? callAt(world, call).proposed : callAt(world, call).args,
    edit: decision === "deny" ? undefined : edit,
  }),
);

const withdraw = onCall(fc.record({ type: fc.constant("withdraw" as const), back: recent, person }), (input, call) => ({
  type: "withdraw",
  call,
  person: input.person,
}));
const cancel = onCall(fc.record({ type: fc.constant("cancel" as const), back: recent, caller }), (input, call) => ({
  type: "cancel",
  call,
  caller: input.caller,
}));
const resume = onCall(fc.record({ type: fc.constant("resume" as const), back: recent, caller }), (input, call) => ({
  type: "resume",
  call,
  caller: input.caller,
}));
const askAgain = onCall(fc.record({ type: fc.constant("askAgain" as const), back: recent, person }), (input, call) => ({
  type: "askAgain",
  call,
  person: input.person,
}));
const claim = onCall(
  fc.record({
    type: fc.constant("claim" as const),
    back: recent,
    caller,
    token: fc.constantFrom("last", "last", "older", "forged", "own"),
  }),
  (input, call, world) => {
    if (input.token === "own") return { type: "claim", call, caller: input.caller, token: "own" };
    const last = callAt(world, call).token;
    const token =
      input.token === "last" ? last : input.token === "older" && last !== undefined && last > 0 ? last - 1 : undefined;
    return { type: "claim", call, caller: input.caller, token };
  },
);
const finish = onCall(
  fc.record({
    type: fc.constant("finish" as const),
    back: recent,
    caller,
    claim: fc.constantFrom("right" as const, "right" as const, "wrong" as const),
    as: ending,
  }),
  (input, call, _world, model) => ({
    type: "finish",
    call,
    caller: input.caller,
    as: input.as,
    claim: model.holdsClaim(call) ? input.claim : "wrong",
  }),
);
const settle = onCall(
  fc.record({ type: fc.constant("settle" as const), back: recent, person, as: ending }),
  (input, call) => ({
    type: "settle",
    call,
    person: input.person,
    as: input.as,
  }),
);
const release = onCall(
  fc.record({ type: fc.constant("release" as const), back: recent }),
  (_input, call, _world, model) => ({
    type: "release",
    call,
    blocked: model.blocked(call),
  }),
);
const pause: fc.Arbitrary<Act> = fc
  .record({ workspace: fc.constantFrom("w1" as const, "w1" as const, "w2" as const), person })
  .map((input) => ({
    text: `pause ${JSON.stringify(input)}`,
    // Resumed as often as paused, or a run would soon consist of refusals.
    pick: (world) => ({ type: "pause", paused: !world.paused[input.workspace], ...input }),
  }));

const plain = fc.oneof(
  { weight: 10, arbitrary: submit },
  { weight: 8, arbitrary: decide },
  { weight: 1, arbitrary: withdraw },
  { weight: 1, arbitrary: cancel },
  { weight: 3, arbitrary: resume },
  { weight: 3, arbitrary: claim },
  { weight: 2, arbitrary: finish },
  { weight: 1, arbitrary: settle },
  { weight: 1, arbitrary: askAgain },
  { weight: 2, arbitrary: release },
  { weight: 1, arbitrary: pause },
);

class Run implements Command {
  constructor(
    readonly text: string,
    readonly acts: readonly Act[],
    readonly go: (model: Model, real: Real, ops: [Op, Op]) => Promise<void>,
  ) {}

  check(model: Readonly<Model>): boolean {
    return this.acts.every((act) => act.pick(model.world, model as Model) !== undefined);
  }

  async run(model: Model, real: Real): Promise<void> {
    model.steps.count++;
    await this.go(model, real, this.acts.map((act) => act.pick(model.world, model)) as [Op, Op]);
  }

  toString(): string {
    return `${this.text} ${this.acts.map((act) => act.text).join(" ")}`.trim();
  }
}

const SLOWED: readonly Op["type"][] = ["decide", "withdraw", "cancel", "claim"];
const fate = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Fate>("fine") },
  { weight: 1, arbitrary: fc.constant<Fate>("reply-lost") },
  { weight: 1, arbitrary: fc.constantFrom(1_500, 4_400).map((slow): Fate => ({ slow })) },
);

const one = fc
  .tuple(plain, seat, fate)
  .map(
    ([act, at, luck]) =>
      new Run(`at ${at}, ${JSON.stringify(luck)}:`, [act], (model, _real, [op]) =>
        model.does(op, at, typeof luck === "object" && !SLOWED.includes(op.type) ? "fine" : luck),
      ),
  );
/** On the same call, so that both want to replace the same version; at one seat both changes are in one group. */
const onOne = fc.oneof(decide, decide, withdraw, cancel, claim, finish, resume, settle);
const race = fc
  .tuple(fc.oneof({ weight: 4, arbitrary: fc.tuple(onOne, onOne) }, { weight: 1, arbitrary: twins }), seat, seat)
  .map(
    ([acts, first, second]) =>
      new Run(`race at ${first} and ${second}:`, acts, (model, _real, [a, b]) => {
        const other = "call" in a ? acts[1].pick(model.world, model, a.call) : b;
        return model.races([a, other ?? b], [first, second]);
      }),
  );
const crashing = fc.oneof(submit, decide, decide, claim, resume, cancel);
const dying = fc
  .tuple(crashing, seat, fc.nat({ max: 2 }), fc.constantFrom("die-before" as const, "die-after" as const))
  .map(
    ([act, at, after, how]) =>
      new Run(`${how} commit ${after + 1} at ${at} of:`, [act], (model, _real, [op]) =>
        model.diesDuring(op, at, [...Array.from({ length: after }, (): Fate => "fine"), how]),
      ),
  );
const crash = fc
  .tuple(
    seat,
    fc.record({
      known: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      peerFirst: fc.boolean(),
    }),
  )
  .map(([at, how]) => new Run(`crash at ${at} ${JSON.stringify(how)}`, [], (model) => model.dies(at, how)));
const advance = fc
  .constantFrom(500, 1_000, 1_000, 3_000)
  .map((ms) => new Run(`${ms} ms pass`, [], (model) => model.passes(ms)));
const tick = fc
  .constantFrom(1, 1_500, 4_400)
  .map((ms) => new Run(`${ms} ms pass unseen`, [], (model) => model.ticks(ms)));
/** Nobody sees what is not theirs (I11), and everybody of the audience sees what waits for them (I9). */
const look = fc.tuple(seat, person).map(
  ([at, name]) =>
    new Run(`${name} looks at ${at}`, [], async (model, real) => {
      const { world, replay } = model;
      world.now = real.clock.now();
      const idsOf = (keep: (index: number) => boolean) => replay.created.filter((_, index) => keep(index)).sort();
      const open = idsOf((index) => {
        const call = callAt(world, index);
        return call.state === "pending" && world.now < call.decideBy && notForThem(call, name) === undefined;
      });
      const seen = (await real.gate(at).pending(PEOPLE[name])).map((card) => card.approvalId).sort();
      if (seen.join() !== open.join())
        throw new Error(`I11: ${name} sees ${seen.length} questions, not ${open.length}`);
      for (const workspaceId of WORKSPACES) {
        const lost = idsOf(
          (index) => callAt(world, index).state === "unknown" && model.workspaceOf(index) === workspaceId,
        );
        const listed = (await real.gate(at).unknown(workspaceId)).map((approval) => approval.approvalId).sort();
        if (listed.join() !== lost.join())
          throw new Error(`I6: ${listed.length} unknown in ${workspaceId}, not ${lost.length}`);
      }
    }),
);

export const commands: fc.Arbitrary<Command>[] = [
  ...Array.from({ length: 14 }, () => one),
  ...Array.from({ length: 4 }, () => race),
  advance,
  advance,
  tick,
  look,
  dying,
  crash,
];
