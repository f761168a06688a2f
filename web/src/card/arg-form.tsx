import type { Json, JsonObject } from "countersign";
import { useId, useState } from "react";
import type { FieldSchema } from "../api/tools.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { useWords } from "../words/words.js";

interface FormProps {
  readonly value: JsonObject;
  readonly schema?: FieldSchema | undefined;
  readonly onChange: (value: JsonObject) => void;
}

/** One control for each field: those of the schema, and those that are there without being in it. */
export function ArgForm({ value, schema, onChange }: FormProps) {
  const declared = schema?.properties ?? {};
  const keys = [...new Set([...Object.keys(declared), ...Object.keys(value)])];
  const set = (key: string, next: Json | undefined) => {
    const { [key]: _, ...rest } = value;
    onChange(next === undefined ? rest : { ...value, [key]: next });
  };
  return (
    <div className="grid gap-3">
      {keys.map((key) => (
        <Field
          key={key}
          name={key}
          schema={Object.hasOwn(declared, key) ? declared[key] : undefined}
          required={schema?.required?.includes(key) ?? false}
          value={Object.hasOwn(value, key) ? value[key] : undefined}
          onChange={(next) => set(key, next)}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly name: string;
  readonly schema?: FieldSchema | undefined;
  readonly required?: boolean;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

function Field({ name, schema, required = false, value, onChange }: FieldProps) {
  const words = useWords();
  const id = useId();
  const kind = kindOf(value, schema);
  const label = (
    <>
      <span className="isolate-text text-sm">{visible(schema?.title ?? name)}</span>{" "}
      {schema?.title === undefined ? null : <bdi className="font-mono text-xs text-muted">{visible(name)}</bdi>}
      {required || schema === undefined ? null : <span className="text-xs text-muted"> {words.common.optional}</span>}
    </>
  );
  if (kind === "object") {
    return (
      <fieldset className="rounded border border-line p-3">
        <legend className="px-1">{label}</legend>
        <ArgForm value={(value ?? {}) as JsonObject} schema={schema} onChange={onChange} />
      </fieldset>
    );
  }
  if (kind === "list") {
    return (
      <fieldset className="rounded border border-line p-3">
        <legend className="px-1">{label}</legend>
        <List value={(value ?? []) as readonly Json[]} schema={schema?.items} onChange={onChange} />
      </fieldset>
    );
  }
  return (
    <div className="grid gap-1">
      <label htmlFor={id}>{label}</label>
      <Control id={id} kind={kind} schema={schema} value={value} onChange={onChange} />
      {typeof value === "string" && visible(value) !== value ? (
        <p className="isolate-text rounded bg-amber-wash px-2 py-1 text-sm">
          <span aria-hidden="true">⚠ </span>
          {words.edit.really} <span className="verbatim">{visible(value)}</span>
        </p>
      ) : null}
      {schema?.description === undefined ? null : (
        <p className="isolate-text text-xs text-muted">{visible(schema.description)}</p>
      )}
    </div>
  );
}

function List({
  value,
  schema,
  onChange,
}: {
  readonly value: readonly Json[];
  readonly schema: FieldSchema | undefined;
  readonly onChange: (value: Json) => void;
}) {
  const words = useWords();
  const replace = (index: number, next: Json | undefined) =>
    onChange(value.map((item, at) => (at === index ? (next ?? null) : item)));
  return (
    <div className="grid gap-2">
      {value.map((item, index) => (
        // Items have no name but their place.
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <Field
              name={`[${index}]`}
              schema={schema}
              required
              value={item}
              onChange={(next) => replace(index, next)}
            />
          </div>
          <Button small onClick={() => onChange(value.filter((_, at) => at !== index))}>
            {words.edit.removeItem}
          </Button>
        </div>
      ))}
      <Button small className="justify-self-start" onClick={() => onChange([...value, emptyOf(schema, value[0])])}>
        {words.edit.add}
      </Button>
    </div>
  );
}

type Kind = "text" | "number" | "boolean" | "choice" | "object" | "list" | "json";

interface ControlProps extends Omit<FieldProps, "name" | "required"> {
  readonly id: string;
  readonly kind: Kind;
}

function Control({ id, kind, schema, value, onChange }: ControlProps) {
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
        <textarea
          id={id}
          className="field font-mono text-sm"
          rows={Math.min(8, Math.max(1, String(value ?? "").split("\n").length))}
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

function kindOf(value: Json | undefined, schema: FieldSchema | undefined): Kind {
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
function emptyOf(schema: FieldSchema | undefined, sample: Json | undefined): Json {
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
