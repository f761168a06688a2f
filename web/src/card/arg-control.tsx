import type { Json } from "countersign";
import { useState } from "react";
import type { FieldSchema } from "../api/tools.js";
import { visible } from "../ui/json-text.js";

type Kind = "text" | "number" | "boolean" | "choice" | "object" | "list" | "json";

interface ControlProps {
  readonly id: string;
  readonly kind: Kind;
  readonly schema?: FieldSchema | undefined;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

/** The platform's own control for a value that has no parts. */
export function Control({ id, kind, schema, value, onChange }: ControlProps) {
  switch (kind) {
    case "boolean":
      return (
        <input
          id={id}
          type="checkbox"
          className="size-5 accent-accent"
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case "number":
      return (
        <input
          id={id}
          type="number"
          step="any"
          className="field font-mono"
          value={typeof value === "number" ? value : ""}
          onChange={(event) =>
            onChange(Number.isNaN(event.target.valueAsNumber) ? undefined : event.target.valueAsNumber)
          }
        />
      );
    case "choice":
      return (
        <select
          id={id}
          className="field"
          value={JSON.stringify(value)}
          onChange={(event) => onChange(JSON.parse(event.target.value) as Json)}
        >
          {value === undefined ? <option value="" /> : null}
          {schema?.enum?.map((choice) => (
            <option key={String(choice)} value={JSON.stringify(choice)}>
              {visible(String(choice))}
            </option>
          ))}
        </select>
      );
    case "text":
      return (
        // As high as what is in it where the browser can do that; elsewhere by its lines.
        <textarea
          id={id}
          className="field field-sizing-content max-h-60 font-mono text-sm"
          rows={Math.min(8, Math.max(1, (typeof value === "string" ? value : "").split("\n").length))}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    default:
      return <RawJson id={id} value={value} onChange={onChange} />;
  }
}

/** What no control fits: as JSON, taken over as soon as it is some. */
function RawJson({ id, value, onChange }: Pick<ControlProps, "id" | "value" | "onChange">) {
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value)));
  const take = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() === "" ? undefined : (JSON.parse(next) as Json));
    } catch {
      // Not finished yet: the last whole value stands.
    }
  };
  return (
    <textarea
      id={id}
      className="field font-mono text-sm"
      rows={2}
      value={text}
      onChange={(event) => take(event.target.value)}
    />
  );
}

export function kindOf(value: Json | undefined, schema: FieldSchema | undefined): Kind {
  if (schema?.enum !== undefined) return "choice";
  const type = value === undefined || value === null ? schema?.type : typeOf(value);
  switch (type) {
    case "string":
      return "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return "object";
    case "array":
      return "list";
    default:
      return "json";
  }
}

function typeOf(value: Json): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** A new item looks like what the schema says, or like the items that are there. */
export function emptyOf(schema: FieldSchema | undefined, sample: Json | undefined): Json {
  const kind = kindOf(sample, schema);
  const empty: Readonly<Record<Kind, Json>> = {
    text: "",
    number: 0,
    boolean: false,
    object: {},
    list: [],
    choice: schema?.enum?.[0] ?? null,
    json: null,
  };
  return empty[kind];
}
