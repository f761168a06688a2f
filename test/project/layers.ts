import { isBuiltin } from "node:module";
import { posix } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { importsOf, type Source } from "./source-scan.js";

interface Layer {
  /** Other layers whose code it may run. Its own files it may always import. */
  readonly may: readonly string[];
  /** Other layers of which it may know the types alone. */
  readonly mayKnow?: readonly string[];
  readonly builtins: "any" | readonly string[];
  /** Packages that users of ours get or may add: dependencies, optional ones and peers, but never tools of development. */
  readonly packages: boolean;
}

/** Built on the core and on nothing else of ours, so that each can be left out, replaced or read alone. */
const part: Layer = { may: ["src/core", "src/folder.ts"], builtins: "any", packages: true };

/** Who may import whom. A folder that is not named here may import nothing, until somebody decides what it is. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  // The flow reaches the world through its ports; hashing is the one exception, for it is a function over values.
  "src/core": { may: [], builtins: ["node:crypto"], packages: false },
  "src/stores": part,
  "src/channels": part,
  "src/adapters": part,
  "src/analysers": part,
  "src/policy": part,
  "src/proof": part,
  "src/testing": part,
  "src/terminal": { may: ["src/core"], builtins: [], packages: false },
  // Runs in browsers too, and must not carry the engine there.
  "src/client": { may: [], mayKnow: ["src/core"], builtins: [], packages: false },
  "src/server": {
    may: [
      "src/core",
      "src/folder.ts",
      "src/create-gate.ts",
      "src/stores",
      "src/channels",
      "src/adapters",
      "src/analysers",
      "src/policy",
      "src/proof",
      "src/config",
    ],
    // The forms on the wire are written down once, where those who read them are.
    mayKnow: ["src/client"],
    builtins: "any",
    packages: true,
  },
  // What `npm run demo` shows: a gate put together as a user would, in a terminal.
  "src/demo": {
    may: ["src/core", "src/create-gate.ts", "src/stores", "src/terminal"],
    builtins: "any",
    packages: false,
  },
  // What an operator can set, wherever they set it.
  "src/config": { may: ["src/core", "src/folder.ts"], builtins: "any", packages: true },
  // A gate behind a server: what adapters know as a gate, with the client below it.
  "src/remote": {
    may: ["src/core", "src/folder.ts", "src/client"],
    mayKnow: ["src/adapters"],
    builtins: "any",
    packages: false,
  },
  // Talks to the server through the client as everyone does. What works on files alone, such as a policy, needs no server.
  "src/cli": {
    may: [
      "src/adapters",
      "src/client",
      "src/config",
      "src/core",
      "src/folder.ts",
      "src/policy",
      "src/proof",
      "src/remote",
      "src/terminal",
    ],
    builtins: "any",
    packages: true,
  },
  // Whoever keeps something on this machine makes the place for it in the same way.
  "src/folder.ts": { may: [], builtins: "any", packages: false },
  // The process and machine a gate runs in, and the gate put together with them.
  "src/host.ts": { may: ["src/core"], builtins: "any", packages: false },
  "src/create-gate.ts": { may: ["src/core", "src/host.ts"], builtins: [], packages: false },
  // What `import "countersign"` gives: a gate that works by itself, without a server.
  "src/index.ts": {
    may: ["src/core", "src/create-gate.ts", "src/stores", "src/analysers", "src/policy"],
    builtins: [],
    packages: false,
  },
  // Runs before anything is installed.
  scripts: { may: [], builtins: "any", packages: false },
};

/** Single files that may import more than their layer. */
export const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  "src/cli/commands/serve.ts": ["src/server"],
  "src/cli/commands/link.ts": ["src/server"],
  "src/cli/commands/channels.ts": ["src/server"],
  // A question at the terminal needs no server, and so a gate of its own.
  "src/cli/exec-here.ts": ["src/analysers", "src/create-gate.ts", "src/stores"],
  "src/cli/demo.ts": ["src/demo"],
};

/** Written as our users write: on what the package exports, by its name. */
export const OUTSIDERS = ["assistant", "web", "examples"] as const;

const PACKAGES = packageNames(manifest);
const EXPORTS = Object.keys(manifest.exports).map((entry) => entry.replace(".", manifest.name));

/** One sentence for each import that the table does not allow. */
export function violationsOf(source: Source): string[] {
  const outsider = OUTSIDERS.find((folder) => source.path.startsWith(`${folder}/`));
  return importsOf(source).flatMap(({ specifier, line, typeOnly }) => {
    const problem = outsider
      ? outsiderProblem(outsider, source.path, specifier)
      : layerProblem(source.path, specifier, typeOnly);
    return problem === undefined ? [] : [`${source.path}:${line} imports ${specifier}: ${problem}`];
  });
}

function layerProblem(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const home = layerOf(path);
  const layer = home === undefined ? undefined : LAYERS[home];
  if (home === undefined || layer === undefined) return "its folder has no line in the table of layers";
  // By its prefix: the Node that runs this may be older than the one that has the module.
  if (specifier.startsWith("node:")) {
    return layer.builtins === "any" || layer.builtins.includes(specifier) ? undefined : `${home} may not use it`;
  }
  if (!specifier.startsWith(".")) {
    if (isBuiltin(specifier)) return `write node:${specifier}`;
    if (!layer.packages) return `${home} may not use packages`;
    return PACKAGES.includes(packageOf(specifier)) ? undefined : "package.json does not give it to users";
  }
  const target = layerOf(posix.join(posix.dirname(path), specifier));
  if (target === undefined) return "it is in no layer";
  const allowed = [home, ...layer.may, ...(EXCEPTIONS[path] ?? []), ...(typeOnly ? (layer.mayKnow ?? []) : [])];
  if (allowed.includes(target)) return undefined;
  return layer.mayKnow?.includes(target)
    ? `${home} may import only types of ${target}`
    : `${home} may not import ${target}`;
}

function outsiderProblem(folder: string, path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier);
    return target.startsWith(`${folder}/`) ? undefined : `${folder} may use only what the package exports`;
  }
  if (packageOf(specifier) !== manifest.name) return undefined;
  return EXPORTS.includes(specifier) ? undefined : "the package does not export it";
}

/** The compiled name of a file leads to the same layer as its source. */
function layerOf(path: string): string | undefined {
  const source = path.replace(/\.js$/, ".ts");
  return Object.keys(LAYERS).find((layer) => source === layer || source.startsWith(`${layer}/`));
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

type Dependencies = Readonly<Record<string, string>>;

function packageNames(of: {
  dependencies?: Dependencies;
  optionalDependencies?: Dependencies;
  peerDependencies?: Dependencies;
}): string[] {
  return Object.keys({ ...of.dependencies, ...of.optionalDependencies, ...of.peerDependencies });
}
