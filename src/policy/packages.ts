import { createRequire } from "node:module";
import type * as Cel from "@marcbachmann/cel-js";
import type * as Re2 from "re2js";
import type * as Yaml from "yaml";
import { CountersignError } from "../core/errors.js";

/*
 * Loaded with the first policy: a gate without one pays nothing for them. By `require`, so that a policy written as an object
 * is ready when `definePolicy` returns.
 */
const require = createRequire(import.meta.url);

export function loadCel(): typeof Cel {
  return load(
    () => require("@marcbachmann/cel-js") as typeof Cel,
    "@marcbachmann/cel-js",
    "Conditions of policy rules need",
  );
}

export function loadRe2(): typeof Re2 {
  return load(() => require("re2js") as typeof Re2, "re2js", "Conditions of policy rules need");
}

export function loadYaml(): typeof Yaml {
  return load(() => require("yaml") as typeof Yaml, "yaml", "Policy files need");
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
