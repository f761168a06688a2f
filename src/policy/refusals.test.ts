import { describe, expect, it } from "vitest";
import { definePolicy, type PolicyDefinition, PolicyError, parsePolicy } from "./index.js";

const HEAD = "version: 1\nrules:\n";
const rule = (body: string) => `${HEAD}  - id: a\n${body.replace(/^/gm, "    ")}\n`;
const when = (condition: string) => rule(`when: ${condition}\neffect: deny`);

function refusalOf(text: string): string {
  try {
    parsePolicy(text, "p.yaml");
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    expect((error as PolicyError).code).toBe("invalid_policy");
    return (error as PolicyError).message;
  }
  throw new Error("The policy was not refused.");
}

describe("a policy file is refused with its place, a sentence and a suggestion (attack C9)", () => {
  it.each([
    ["an empty file", "", "p.yaml:1:1: The file is empty."],
    ["comments alone", "# nothing yet\n", "p.yaml:1:1: The file is empty."],
    ["text that is not YAML", "version: [1", "p.yaml:1:"],
    ["a text instead of a policy", "hello", "p.yaml:1:1: Expected a map with version, defaults, channels and rules"],
    ["two documents", `${when('tool == "x"')}---\nversion: 1\n`, "more than one document"],
    ["an alias", rule("when: &w true\neffect: deny\nreason: *w"), "p.yaml:6:13 rules[0].reason: An alias (*)"],
    ["a tag", rule("when: !secret true\neffect: deny"), "Unresolved tag: !secret."],
    ["a doubled key", rule("when: true\neffect: deny\neffect: allow"), "p.yaml:6:5: The same key stands here twice."],
    ["no version", "rules:\n  - { id: a, when: true, effect: deny }", 'The key "version" is missing.'],
    [
      "another version",
      `version: 2\n${rule("when: true\neffect: deny").slice(11)}`,
      "p.yaml:1:10 version: This version",
    ],
    ["no rules", "version: 1", 'The key "rules" is missing.'],
    ["an empty list of rules", "version: 1\nrules: []", "p.yaml:2:8 rules: Expected a list of rules that is not empty"],
    ["rules that are no list", "version: 1\nrules: { a: 1 }", "Expected a list of rules, found a map."],
    [
      "an unknown key",
      rule("when: true\nefect: deny"),
      'p.yaml:5:5 rules[0].efect: The key "efect" is not known here. Did you mean "effect"?',
    ],
    [
      "an unknown key at the top",
      `${when('tool == "x"')}default: {}\n`,
      'The key "default" is not known here. Did you mean "defaults"?',
    ],
    [
      "an unknown effect",
      rule("when: true\neffect: alow"),
      'p.yaml:5:13 rules[0].effect: Expected deny, confirm or allow, found "alow". Did you mean "allow"?',
    ],
    ["a yes that is a text", rule("when: true\neffect: confirm\nalways: yes"), 'Expected true or false, found "yes".'],
    ["no id", `${HEAD}  - when: true\n    effect: deny\n`, 'p.yaml:3:5 rules[0]: The key "id" is missing.'],
    ["an id with blanks", `${HEAD}  - { id: a b, when: true, effect: deny }`, '"a b" cannot be an id.'],
    [
      "a doubled id",
      `${when('tool == "x"')}  - id: a\n    when: tool == "y"\n    effect: deny\n`,
      'p.yaml:6:9 rules[1].id: The id "a" is taken by an earlier rule.',
    ],
    [
      "a duration in words",
      rule("when: true\neffect: confirm\nttl: 5 minutes"),
      'p.yaml:6:10 rules[0].ttl: Expected a duration up to a year, found "5 minutes".',
    ],
    ["a duration beyond a year", rule("when: true\neffect: confirm\nttl: 400d"), "Expected a duration up to a year"],
    [
      "an unknown time zone",
      `${when('tool == "x"')}defaults: { timezone: Mars/Olympus }\n`,
      '"Mars/Olympus" is no time zone.',
    ],
    [
      "more approvers than persons",
      rule("when: true\neffect: confirm\napprovers: { count: 3, persons: [ann, ben] }"),
      "3 approvers are wanted and 2 named",
    ],
    [
      "the same person twice",
      rule("when: true\neffect: confirm\napprovers: { count: 2, persons: [ann, ann] }"),
      "nobody could ever approve",
    ],
    [
      "a budget without a window",
      rule("when: true\nbudget: { limit: 1, per: user }"),
      "A budget that is not per session needs a window.",
    ],
  ])("%s", (_, text, message) => {
    expect(refusalOf(text)).toContain(message);
  });

  it("names everything that is wrong, in the order of the file", () => {
    const text = `${HEAD}  - id: a\n    when: toll == "x"\n    efect: deny\n  - id: b\n    when: true\n    effect: alow\n`;
    expect(
      refusalOf(text)
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(["p.yaml:4:11", "p.yaml:5:5", "p.yaml:8:13"]);
  });

  it("finds values of an object by their path", () => {
    const bad = { version: 1, rules: [{ id: "a", when: 'tol == "x"', effect: "deny" }] } as PolicyDefinition;
    expect(() => definePolicy(bad, "house rules")).toThrow(
      'house rules rules[0].when: There is no field "tol". Did you mean "tool"?',
    );
    const undefinedReason = { ...bad, rules: [{ id: "a", when: true, effect: "deny", reason: undefined }] };
    expect(() => definePolicy(undefinedReason as never)).toThrow("This is not plain data");
  });
});

describe("a condition is checked when it is loaded", () => {
  it.each([
    [
      "a field that does not exist",
      'toll == "x"',
      'p.yaml:4:11 rules[0].when: There is no field "toll". Did you mean "tool"?',
    ],
    [
      "a member that does not exist",
      "time.hor < 3",
      'p.yaml:4:16 rules[0].when: There is no time.hor. Did you mean "hour"?',
    ],
    ["a member that is nowhere near", 'agent.name == "x"', "There is no agent.name. It has id and lineage."],
    ["another type", "tool == 3", "The types do not fit: no such overload: string == int."],
    ["a value that is not true or false", "args.flag", "The condition has to be true or false, and this is dyn."],
    ["an end that comes too early", '"tool == "', "The condition cannot be read: Unexpected token: EOF."],
    [
      "a word that an effect never is",
      'effect == "wirte"',
      'p.yaml:4:21 rules[0].when: effect is never "wirte". Did you mean "write"?',
    ],
    ["a tier that does not exist", 'riskTier >= "R5"', 'riskTier is never "R5".'],
    ["a tier in a list", 'riskTier in ["R3", "high"]', 'riskTier is never "high".'],
    ["a day in another spelling", 'time.weekday == "Sunday"', 'time.weekday is never "Sunday". Did you mean "sunday"?'],
    [
      "a function that does not exist",
      'tool.startWith("x")',
      'There is no function startWith(). Did you mean "startsWith"?',
    ],
    ["a function of the language that is not ours", 'tool.split(".").size() > 1', "There is no function split()."],
    ["a temporary value", "cel.bind(a, tool, a == a)", "There is no function bind()."],
    [
      "the backtracking matches (attack F11)",
      'tool.matches("^(a+)+$")',
      'matches() can take exponential time on what an agent sends. Use re("…")',
    ],
    ["matches inside a macro (attack F11)", 'args.to.exists(t, t.matches("x"))', "matches() can take exponential time"],
    [
      "a pattern that came with the call (attack F11)",
      "tool.re(args.pattern)",
      "The pattern of re() has to be written in the rule.",
    ],
    ["a pattern that cannot be read", 'tool.re("(")', "The pattern cannot be read"],
    ["a pattern with look-around", 'tool.re("(?=a)b")', "The pattern cannot be read"],
    [
      "three loops in one another (attack F11)",
      "args.a.all(x, x.all(y, y.all(z, z == 1)))",
      "Loops stand 3 deep in one another; 2 are allowed.",
    ],
    [
      "a condition without end (attack F11)",
      Array.from({ length: 400 }, (_, n) => `tool == "t${n}"`).join(" || "),
      "The condition cannot be read",
    ],
  ])("%s", (_, condition, message) => {
    expect(refusalOf(when(condition))).toContain(message);
  });

  it("points into a condition of several lines", () => {
    expect(refusalOf(rule('when: |\n  tool == "x" &&\n  toll == "y"\neffect: deny'))).toContain(
      'p.yaml:6:7 rules[0].when: There is no field "toll"',
    );
    expect(refusalOf(rule("when: 'toll == \"y\"'\neffect: deny"))).toContain("p.yaml:4:12 ");
  });
});

describe("a rule that can never matter is refused", () => {
  const policy = (...rules: string[]) => `${HEAD}${rules.map((body, n) => `  - { id: r${n}, ${body} }\n`).join("")}`;

  it.each([
    ["does nothing", ["when: true"], "The rule does nothing."],
    ["is always false", ["when: 1 == 2, effect: deny"], '"r0" can never matter: its condition is always false.'],
    ["fails on every call", ['when: int("x") == 1, effect: deny'], "its condition fails on every call."],
    [
      "contradicts itself",
      ['when: \'tool == "a" && tool == "b"\', effect: deny'],
      "tool cannot be two things at once.",
    ],
    [
      "allows only what the floor forbids",
      ["when: 'riskTier == \"R4\"', effect: allow"],
      "R4 always asks; no rule can allow it.",
    ],
    ["allows only what lies above R3", ['when: \'app == "db" && riskTier > "R3"\', effect: allow'], "R4 always asks"],
    ["raises by what raising decides", ["when: 'riskTier >= \"R2\"', raise: R3"], "which is known only after raising"],
    [
      "counts by what counting decides",
      ["when: 'riskTier >= \"R2\"', budget: { limit: 1, per: session }"],
      "which is known only after counting",
    ],
    ["raises to where every call is", ["when: true, raise: R0"], "this raises nothing"],
    ["raises what it denies", ["when: true, effect: deny, raise: R3"], "A call that is denied is not raised."],
    [
      "names approvers for a permission",
      ["when: true, effect: allow, approvers: { count: 2 }"],
      '"approvers" is about a question',
    ],
    ["is always in a permission", ["when: true, effect: allow, always: true"], '"always" is about a question'],
    [
      "counts what it denies",
      ["when: true, effect: deny, budget: { limit: 1, per: session }"],
      "What is denied spends nothing.",
    ],
    [
      "repeats an earlier one",
      ["when: true, effect: deny", "when: 'tool == \"a\"', effect: deny"],
      '"r1" can never matter: whatever it matches, "r0" matches too',
    ],
    [
      "allows what another denies",
      ["when: 'app == \"db\"', effect: deny", 'when: \'tool == "x" && app == "db"\', effect: allow'],
      '"r1" can never matter',
    ],
    [
      "allows what a later one asks about",
      ["when: 'tool == \"x\"', effect: allow", "when: true, effect: confirm"],
      '"r0" can never matter',
    ],
    [
      "asks less firmly than another",
      ["when: true, effect: confirm, always: true", "when: 'tool == \"x\"', effect: confirm"],
      '"r1" can never matter',
    ],
    [
      "adds approvers to what is denied",
      ["when: true, effect: deny", "when: 'tool == \"x\"', effect: confirm, approvers: { count: 2 }"],
      '"r1" can never matter',
    ],
  ])("%s", (_, rules, message) => {
    expect(refusalOf(policy(...rules))).toContain(message);
  });

  it.each([
    [
      "a wider rule after a narrower one",
      ["when: 'tool == \"a\"', effect: deny", "when: 'effect == \"write\"', effect: deny"],
    ],
    [
      "a question with approvers of its own",
      ["when: true, effect: confirm", "when: 'tool == \"a\"', effect: confirm, approvers: { count: 2 }"],
    ],
    ["a question within a permission", ["when: true, effect: allow", "when: 'tool == \"a\"', effect: confirm"]],
    [
      "a budget within a question",
      ["when: true, effect: confirm", "when: 'tool == \"a\"', budget: { limit: 1, per: session }"],
    ],
    ["a raise within a permission", ["when: true, effect: allow", "when: 'tool == \"a\"', raise: R3"]],
    [
      "a reason of its own for a narrower denial",
      ["when: 'tool == \"a\"', effect: deny, reason: Because", "when: true, effect: deny"],
    ],
    ["two values of two fields", ['when: \'tool == "a" && app == "b"\', effect: deny']],
  ])("%s is not", (_, rules) => {
    expect(parsePolicy(policy(...rules)).rules).toHaveLength(rules.length);
  });
});
