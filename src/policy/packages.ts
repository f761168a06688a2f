import { createRequire } from "node:module";
import { CountersignError } from "../core/errors.js";

type Cel = typeof import("@marcbachmann/cel-js");
type Re2 = typeof import("re2js");
type Yaml = typeof import("yaml");

/*
 * Loaded with the first policy: a gate without one pays nothing for them. By `require`, so that a policy written as an object
 * is ready when `definePolicy` returns.
 */
const require = createRequire(import.meta.url);

export function loadCel(): Cel {
  return load(() => require("@marcbachmann/cel-js") as Cel, "@marcbachmann/cel-js", "Conditions of policy rules need");
}

export function loadRe2(): Re2 {
  return load(() => require("re2js") as Re2, "re2js", "Conditions of policy rules need");
}

export function loadYaml(): Yaml {
  return load(() => require("yaml") as Yaml, "yaml", "Policy files need");
}

function load<Package>(loads: () => Package, name: string, need: string): Package {
  try {
    return loads();
  } catch (cause) {
    throw new CountersignError("missing_dependency", `${need} the "${name}" package. Install it: npm i ${name}`, {
      cause,
    });
  }
}
