import { type CardFace, faceLines } from "../face.js";
import { inParts } from "../parts.js";
import { inert } from "./text.js";

/** What a template shows; all of it strings. The names are the contract with whoever builds the template. */
export type Variables = Readonly<Record<string, string>>;

/** DingTalk allows 1 KB a variable; which KB it does not say. */
const VARIABLE_BYTES = 1000;
const VARIABLE = { size: VARIABLE_BYTES, sizeOf: (text: string) => Buffer.byteLength(text) };
/** `text1` … `text12` of the template. */
const TEXTS = 12;

function fits(value: string, variables = 1): boolean {
  return Buffer.byteLength(value) <= VARIABLE_BYTES * variables;
}

/**
 * The face as variables, each of them named every time: what is left out of an update keeps its old value. Undefined when
 * the template's variables cannot hold it.
 */
export function variablesOf(face: CardFace): Variables | undefined {
  const lines = faceLines({ ...face, closing: [] })
    .slice(1)
    .map(inert);
  // What is far too large is not cut up first.
  if (!fits(lines.join("\n"), TEXTS)) return undefined;
  const texts = inParts(lines, VARIABLE);
  const variables = {
    heading: inert(face.heading),
    ...Object.fromEntries(Array.from({ length: TEXTS }, (_, index) => [`text${index + 1}`, texts[index] ?? ""])),
    closing: inert(face.closing.join("\n")),
    ...answerVariables(face, "approve"),
    ...answerVariables(face, "deny"),
    ...openVariables(face),
  };
  return texts.length <= TEXTS && Object.values(variables).every((value) => fits(value)) ? variables : undefined;
}

function answerVariables({ buttons }: CardFace, kind: "approve" | "deny"): Variables {
  const button = buttons.find((candidate) => candidate.kind === kind);
  return {
    [`${kind}Shown`]: String(button !== undefined),
    [`${kind}Label`]: button?.label ?? "",
    [`${kind}Value`]: button?.kind === kind ? button.value : "",
  };
}

function openVariables({ buttons }: CardFace): Variables {
  const button = buttons.find(({ kind }) => kind === "open");
  return {
    openShown: String(button !== undefined),
    openLabel: button?.label ?? "",
    openUrl: button?.kind === "open" ? button.url : "",
  };
}

/** What only the person who pressed a button sees, in the template's private variable `notice`. */
export function noticeOf(text: string): Variables {
  const [notice = ""] = inParts([inert(text)], VARIABLE);
  return { notice };
}
