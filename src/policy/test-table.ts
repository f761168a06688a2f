import { type Caller, LOCAL_CALLER } from "../core/call.js";
import { type JsonObject, toPlainJson } from "../core/json.js";
import type { Scope } from "../core/judging/scope.js";
import { RISK_TIERS, type RiskTier } from "../core/risk.js";
import { type AnyTool, defineTool, type ToolDefinition } from "../core/tool.js";
import { RULE_EFFECTS, type RuleEffect } from "./definition.js";
import { readText } from "./load.js";
import { type Located, locateValue, plain } from "./located.js";
import { type Place, Problems } from "./problem.js";
import { dictionary, flag, list, map, number, oneOf, type Shape, text } from "./shape.js";
import { didYouMean } from "./suggest.js";
import { locateYaml } from "./yaml.js";

/** What a table says about a tool: the declarations that the verdict depends on. */
type Declaration = Pick<
  ToolDefinition,
  "app" | "effect" | "destructive" | "riskTier" | "tags" | "confidenceThreshold"
> & {
  readonly confirm?: boolean;
  readonly cost?: number;
};

/** Other parts that would let the call pass, for showing which rules they do not spare. */
const GIVEN = ["grant", "mode", "tool_setting", "app_setting"] as const;

interface PolicyTestCase {
  readonly name?: string;
  readonly tool: string;
  readonly args?: JsonObject;
  readonly confidence?: number;
  readonly caller?: Partial<Caller>;
  /** ISO 8601. Noon of a Monday, UTC, when the case does not care. */
  readonly at?: string;
  /** The call drifts out of its session's scope. */
  readonly outside?: boolean;
  readonly given?: readonly (typeof GIVEN)[number][];
  readonly expect: RuleEffect;
  /** The rule that has to be among those that decided. */
  readonly rule?: string;
  readonly tier?: RiskTier;
}

/** A table of calls with the verdicts they should get. */
export interface PolicyTest {
  readonly version: 1;
  readonly tools: Readonly<Record<string, Declaration>>;
  readonly caller?: Partial<Caller>;
  readonly cases: readonly PolicyTestCase[];
}

/** A table that has passed its checks. */
export interface PolicyTable {
  readonly name: string;
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly cases: readonly (PolicyTestCase & { readonly place: Place; readonly from: Caller; readonly time: number })[];
}

const NOON_OF_A_MONDAY = "2024-01-01T12:00:00Z";

/** The table of a file. Throws a `PolicyError` that names everything that is wrong, as the two below do. */
export function loadPolicyTest(path: string): PolicyTable {
  return parsePolicyTest(readText(path), path);
}

/** The table of a YAML text; `name` is what problems call it. */
export function parsePolicyTest(source: string, name = "countersign.policy-test.yaml"): PolicyTable {
  return readTable(locateYaml(source, name), name);
}

/** The table of an object in code. */
export function definePolicyTest(table: PolicyTest, name = "policy test"): PolicyTable {
  return readTable(locateValue(table, name), name);
}

function readTable(root: Located, name: string): PolicyTable {
  const problems = new Problems();
  const places: Located[] = [];
  const keepCase: Shape<PolicyTestCase> = (node, found) => {
    places.push(node);
    return caseShape(node, found);
  };
  const shape = map<PolicyTest>(
    {
      version: (node, found) => (number("1", (value) => value === 1)(node, found) === 1 ? 1 : undefined),
      tools: dictionary(declaration),
      caller,
      cases: list(keepCase, "cases"),
    },
    ["version", "tools", "cases"],
  );
  const table = shape(root, problems);
  problems.refuse(name);
  const { tools: declared, cases, caller: everyone } = table as PolicyTest;
  const tools = new Map(Object.entries(declared).map(([tool, says]) => [tool, toTool(tool, says, root, problems)]));
  cases.forEach(({ tool }, at) => {
    if (!tools.has(tool))
      problems.add(
        places[at] ?? root,
        `The tool "${tool}" is not among the tools above.`,
        didYouMean(tool, [...tools.keys()]),
      );
  });
  problems.refuse(name);
  const complete = cases.map((one, at) => ({
    ...one,
    place: places[at] ?? root,
    from: { ...LOCAL_CALLER, ...everyone, ...one.caller },
    time: Date.parse(one.at ?? NOON_OF_A_MONDAY),
  }));
  return { name, tools: tools as ReadonlyMap<string, AnyTool>, cases: complete };
}

function toTool(name: string, says: Declaration, root: Located, problems: Problems): AnyTool | undefined {
  try {
    return defineTool({ name, ...says });
  } catch (error) {
    problems.add({ ...root, path: `tools.${name}` }, (error as Error).message);
    return undefined;
  }
}

const share = number("a number from 0 to 1", (value) => value >= 0 && value <= 1);

const declaration = map<Declaration>(
  {
    app: text,
    effect: oneOf(["read", "write"]),
    destructive: flag,
    riskTier: oneOf(RISK_TIERS),
    tags: list(text, "tags"),
    confidenceThreshold: share,
    confirm: flag,
    cost: number("a number of 0 or more", (value) => value >= 0),
  },
  [],
);

const caller = map<Partial<Caller>>(
  {
    userId: text,
    workspaceId: text,
    sessionId: text,
    agentId: text,
    deviceId: text,
    lineage: list(text, "agents"),
    surface: text,
    scope: map<Scope>({ paths: list(text, "paths"), domains: list(text, "domains") }, []),
  },
  [],
);

const json: Shape<JsonObject> = (node, problems) => {
  if (node.kind === "map") return toPlainJson(plain(node)) as JsonObject;
  problems.add(node, "Arguments are a map.");
  return undefined;
};

const moment: Shape<string> = (node, problems) => {
  const written = text(node, problems);
  if (
    written === undefined ||
    (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(written) && !Number.isNaN(Date.parse(written)))
  )
    return written;
  problems.add(node, `"${written}" is no moment.`, 'Write it with its offset: "2026-05-04T22:30:00Z".');
  return undefined;
};

const caseShape = map<PolicyTestCase>(
  {
    name: text,
    tool: text,
    args: json,
    confidence: share,
    caller,
    at: moment,
    outside: flag,
    given: list(oneOf(GIVEN), "other parts"),
    expect: oneOf(RULE_EFFECTS),
    rule: text,
    tier: oneOf(RISK_TIERS),
  },
  ["tool", "expect"],
);
