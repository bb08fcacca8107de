/**
 * A form from a JSON Schema, for inputs, answers and arguments of tools. Values without a matching control are typed as
 * JSON.
 */
import { type Json, type JsonObject, type JsonSchema, isObject } from '@baton/primitives';
import { useId, useRef, useState } from 'react';

import { parseJson, prettyJson } from './json.ts';

interface FormProps {
  readonly schema: JsonSchema | undefined;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
  /** Called with whether the text of a field is no JSON: `value` then lacks what the person sees. */
  readonly onBroken: (isBroken: boolean) => void;
}

/** The defaults of the schema. */
export function defaultsOf(schema: JsonSchema | undefined): JsonObject {
  const values = fieldsOf(schema).flatMap(({ name, schema: field }) =>
    field['default'] === undefined ? [] : [[name, field['default']]],
  );
  return { ...untickedIn(schema), ...Object.fromEntries(values) };
}

/** Required checkboxes without a default: false until they are ticked. */
export const untickedIn = (schema: JsonSchema | undefined): JsonObject =>
  Object.fromEntries(
    fieldsOf(schema)
      .filter(({ schema: field, isRequired }) => isRequired && field['type'] === 'boolean')
      .map(({ name }) => [name, false]),
  );

interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

export function fieldsOf(schema: JsonSchema | undefined): Field[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, field]) => ({
    name,
    schema: isObject(field) ? field : {},
    isRequired: required.includes(name),
  }));
}

/** Names of required fields that have no value yet. */
export const missingIn = (schema: JsonSchema | undefined, value: JsonObject): string[] =>
  fieldsOf(schema)
    .filter(
      ({ name, isRequired, schema: field }) =>
        isRequired && value[name] === undefined && field['default'] === undefined,
    )
    .map(({ name }) => name);

export function SchemaForm({ schema, value, onChange, onBroken }: FormProps) {
  const fields = fieldsOf(schema);
  const broken = useRef(new Set<string>());
  if (fields.length === 0) return <p className="dim">It takes nothing.</p>;
  return (
    <>
      {fields.map((field) => (
        <FieldRow
          key={field.name}
          field={field}
          value={value[field.name]}
          onChange={(next) => {
            const { [field.name]: _, ...rest } = value;
            onChange(next === undefined ? rest : { ...rest, [field.name]: next });
          }}
          onBroken={(isBroken) => {
            if (isBroken) broken.current.add(field.name);
            else broken.current.delete(field.name);
            onBroken(broken.current.size > 0);
          }}
        />
      ))}
    </>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly onBroken: FormProps['onBroken'];
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

function FieldRow({ field, value, onChange, onBroken }: FieldProps) {
  const { name, schema, isRequired } = field;
  const id = useId();
  const title = textOf(schema['title']) ?? name;
  const about = textOf(schema['description']);
  const hint = about !== undefined && <span className="hint">{about}</span>;
  const mark = isRequired && <span className="faint"> · required</span>;
  const fallback = schema['default'];
  if (schema['type'] === 'boolean') {
    return (
      <div className="field">
        <label className="check">
          <input type="checkbox" checked={value === true} onChange={(event) => onChange(event.target.checked)} />
          <span>{title}</span>
        </label>
        {hint}
      </div>
    );
  }
  const several = schema['type'] === 'array' && isObject(schema['items']) ? choicesOf(schema['items']) : undefined;
  if (several !== undefined) {
    return (
      <fieldset className="field">
        <legend className="label">
          {title}
          {mark}
        </legend>
        <SeveralControl choices={several} value={value} onChange={onChange} />
        {hint}
      </fieldset>
    );
  }
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {title}
        {mark}
      </label>
      <Control id={id} schema={schema} value={value} onChange={onChange} onBroken={onBroken} />
      {hint}
      {fallback !== undefined && <span className="hint">Without a value: {JSON.stringify(fallback).slice(0, 80)}</span>}
    </div>
  );
}

interface Choice {
  readonly value: Json;
  readonly title: string;
}

/** Choices of `enum`, or of `oneOf` and `anyOf` with `const` and `title` (MCP elicitation). Undefined: not a choice. */
function choicesOf(schema: JsonObject): readonly Choice[] | undefined {
  const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const { enum: values, enumNames: names, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    const titles = Array.isArray(names) ? names : [];
    return values.map((value, at) => ({ value, title: textOf(titles[at]) ?? shown(value) }));
  }
  const among = oneOf ?? anyOf;
  if (!Array.isArray(among) || among.length === 0) return undefined;
  const choices = among.flatMap((one) =>
    isObject(one) && one['const'] !== undefined
      ? [{ value: one['const'], title: textOf(one['title']) ?? shown(one['const']) }]
      : [],
  );
  return choices.length === among.length ? choices : undefined;
}

interface SeveralControlProps extends Omit<FieldProps, 'field' | 'onBroken'> {
  readonly choices: readonly Choice[];
}

function SeveralControl({ choices, value, onChange }: SeveralControlProps) {
  const chosen = new Set((Array.isArray(value) ? value : []).map((one: Json) => JSON.stringify(one)));
  const set = (key: string, isChosen: boolean): void => {
    const next = choices.filter((one) =>
      JSON.stringify(one.value) === key ? isChosen : chosen.has(JSON.stringify(one.value)),
    );
    onChange(next.length === 0 ? undefined : next.map((one) => one.value));
  };
  return choices.map(({ value: choice, title }) => {
    const key = JSON.stringify(choice);
    return (
      <label key={key} className="check">
        <input type="checkbox" checked={chosen.has(key)} onChange={(event) => set(key, event.target.checked)} />
        <span>{title}</span>
      </label>
    );
  });
}

interface ControlProps extends Omit<FieldProps, 'field'> {
  readonly id: string;
  readonly schema: JsonObject;
}

function Control({ id, schema, value, onChange, onBroken }: ControlProps) {
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    return (
      <select
        id={id}
        className="input"
        value={value === undefined ? '' : JSON.stringify(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : (JSON.parse(event.target.value) as Json))}
      >
        <option value="" />
        {choices.map(({ value: choice, title }) => (
          <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  if (schema['type'] === 'string') return <TextControl id={id} schema={schema} value={value} onChange={onChange} />;
  if (schema['type'] === 'number' || schema['type'] === 'integer') {
    const step = schema['type'] === 'integer' ? 1 : 'any';
    return <NumberControl id={id} step={step} value={value} onChange={onChange} onBroken={onBroken} />;
  }
  return <JsonControl id={id} value={value} onChange={onChange} onBroken={onBroken} />;
}

const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url', date: 'date' };
const longText = 120;

function TextControl({ id, schema, value, onChange }: Omit<ControlProps, 'onBroken'>) {
  const text = textOf(value) ?? '';
  const set = (next: string): void => onChange(next === '' ? undefined : next);
  if (Number(schema['maxLength'] ?? 0) > longText || text.includes('\n') || text.length > longText) {
    return <textarea id={id} className="input" value={text} onChange={(event) => set(event.target.value)} />;
  }
  const type = types[textOf(schema['format']) ?? ''] ?? 'text';
  return <input id={id} className="input" type={type} value={text} onChange={(event) => set(event.target.value)} />;
}

interface NumberControlProps extends Omit<ControlProps, 'schema'> {
  readonly step: number | 'any';
}

/** A number that would not stay what was typed is refused. */
function NumberControl({ id, step, value, onChange, onBroken }: NumberControlProps) {
  const [isRounded, setIsRounded] = useState(false);
  return (
    <>
      <input
        id={id}
        className="input num"
        type="number"
        step={step}
        value={typeof value === 'number' ? value : ''}
        aria-invalid={isRounded}
        onChange={({ target }) => {
          const isRounded = Math.abs(target.valueAsNumber) > Number.MAX_SAFE_INTEGER && !/e/i.test(target.value);
          setIsRounded(isRounded);
          onBroken(isRounded);
          onChange(target.value === '' ? undefined : target.valueAsNumber);
        }}
      />
      {isRounded && <span className="hint red">This number is too large to be stored exactly.</span>}
    </>
  );
}

function JsonControl({ id, value, onChange, onBroken }: Omit<ControlProps, 'schema'>) {
  const [text, setText] = useState(value === undefined ? '' : prettyJson(value));
  const parsed = text.trim() === '' ? undefined : parseJson(text);
  const problem = parsed !== undefined && 'problem' in parsed ? parsed.problem : undefined;
  return (
    <>
      <textarea
        id={id}
        className="input"
        placeholder="JSON"
        spellCheck={false}
        value={text}
        aria-invalid={problem !== undefined}
        onChange={(event) => {
          setText(event.target.value);
          const next = event.target.value.trim() === '' ? undefined : parseJson(event.target.value);
          onBroken(next !== undefined && 'problem' in next);
          if (next === undefined) onChange(undefined);
          else if ('value' in next) onChange(next.value);
        }}
      />
      {problem !== undefined && <span className="hint red">{problem}</span>}
    </>
  );
}
