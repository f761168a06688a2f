import type { Json, JsonObject } from "countersign";
import { useId } from "react";
import type { FieldSchema } from "../api/tools.js";
import { Button } from "../ui/button.js";
import { visible } from "../ui/json-text.js";
import { useWords } from "../words/words.js";
import { Control, emptyOf, kindOf } from "./arg-control.js";

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
