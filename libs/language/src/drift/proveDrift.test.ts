import {
  compileMapTemplate,
  dialectOf,
  editionNow,
  readExpression,
  usableSchema,
  validateInputs,
  validator,
} from '@baton/expressions';
import { defined, isObject, type Json, type JsonObject, type JsonSchema } from '@baton/primitives';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { defaultsOf } from '../servers/argumentDefaults.ts';
import type { OfferedTool, ServerOffers } from '../servers/offer.ts';
import { anyArgumentsPair, anyNames, anyPair, anySchema, valuesOf } from '../testing/schemaPairs.ts';
import { proveDrift } from './proveDrift.ts';

/** The same pairs each time; `BATON_RUNS=20000` tries as many others. */
const runs = process.env['BATON_RUNS'];
const tries = runs === undefined ? { numRuns: 150, seed: 2 } : { numRuns: Number(runs) };

const isValid = (schema: JsonSchema, value: Json): boolean =>
  validator(usableSchema(schema).schema).validate?.(value).length === 0;

const offering = (...tools: readonly OfferedTool[]): ServerOffers =>
  new Map([['s', { kind: 'known', tools, prompts: [], resources: [], resourceTemplates: [] }]]);

/** Proves that a workflow with these steps can go on with the changed tool, the first one. */
function isProven(
  document: JsonObject,
  changed: { readonly before: OfferedTool; readonly now: OfferedTool },
  ...others: readonly OfferedTool[]
): boolean {
  const servers = offering(changed.now, ...others);
  return (
    proveDrift(JSON.stringify({ workflow: 'random', ...document }), new Map([[`s/${changed.now.name}`, changed]]), {
      servers,
    }).length === 0
  );
}

/** A part of every answer of a schema, and what the schema says of it. */
interface SurePart {
  readonly path: string;
  readonly schema: Json;
}

/** The parts that every value of the schema has. */
function surePartsOf(schema: Json, path: string): readonly SurePart[] {
  const own = { path, schema };
  if (!isObject(schema) || schema['nullable'] === true) return [own];
  const { type, properties, required, items, prefixItems, minItems } = schema;
  if (type === 'object' && isObject(properties) && Array.isArray(required))
    return [
      own,
      ...(required as readonly string[])
        .filter((name) => Object.hasOwn(properties, name))
        .flatMap((name) => surePartsOf(properties[name] ?? true, `${path}["${name}"]`)),
    ];
  const isFull = type === 'array' && typeof minItems === 'number' && minItems > 0 && prefixItems === undefined;
  return isFull && !Array.isArray(items) ? [own, ...surePartsOf(items ?? true, `${path}[0]`)] : [own];
}

/** An expression that reads the part, and the schema of what it gives where the old schema holds. */
interface Reading {
  readonly expression: string;
  readonly gives: Json;
  /** The list whose items `item` is. */
  readonly list?: string;
}

const memberOf = (schema: Json, name: string): Json | undefined =>
  isObject(schema) && isObject(schema['properties']) && Object.hasOwn(schema['properties'], name)
    ? schema['properties'][name]
    : undefined;

const listIn = (schema: JsonObject, keyword: string): readonly string[] =>
  Array.isArray(schema[keyword]) ? (schema[keyword] as readonly string[]) : [];

function readingsOf({ path, schema }: SurePart): readonly Reading[] {
  const plain: Reading = { expression: path, gives: schema };
  if (!isObject(schema) || schema['nullable'] === true) return [plain];
  if (schema['type'] === 'object') return [plain, ...readingsOfMap(path, schema)];
  const { items = true, minItems = 0, prefixItems, type } = schema;
  if (type !== 'array' || prefixItems !== undefined || Array.isArray(items)) return [plain];
  const isMap = isObject(items) && items['type'] === 'object' && items['nullable'] !== true;
  const members = isMap
    ? listIn(items, 'required').flatMap((name) => itemReadings(path, name, memberOf(items, name)))
    : [];
  return [plain, { expression: `size(${path})`, gives: { minimum: minItems } }, ...members];
}

function readingsOfMap(path: string, schema: JsonObject): readonly Reading[] {
  const { minProperties = 0, dependentRequired } = schema;
  const optional = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const depending = isObject(dependentRequired) ? Object.entries(dependentRequired) : [];
  return [
    { expression: `[${path}]`, gives: { type: 'array', items: schema } },
    { expression: `size(${path})`, gives: { minimum: minProperties } },
    ...listIn(schema, 'required').map((name): Reading => ({
      expression: `has(${path}.${name})`,
      gives: { const: true },
    })),
    ...optional.map(([name, one]): Reading => ({
      expression: `${path}.?${name}.orValue("-")`,
      gives: { anyOf: [one, { const: '-' }] },
    })),
    ...optional.flatMap(([name, one]) => unnamedReadings(path, name, one, listIn(schema, 'required').includes(name))),
    ...depending.map(([name, needed]): Reading => ({
      expression: `has(${path}.${name}) && !has(${path}.${(needed as readonly string[])[0]})`,
      gives: { const: false },
    })),
  ];
}

/** Reads that could find any member. */
function unnamedReadings(path: string, name: string, schema: Json, isSure: boolean): readonly Reading[] {
  const value = { anyOf: [schema, { const: '-' }] };
  const reads: readonly Reading[] = [
    { expression: `${path}[?inputs.${name}].orValue("-")`, gives: value },
    { expression: `"${name}" in ${path} ? ${path}[inputs.${name}] : "-"`, gives: value },
    { expression: `cel.bind(all, ${path}, all[?inputs.${name}].orValue("-"))`, gives: value },
    {
      expression: `${path}.transformList(name, value, [name, value]).filter(one, one[0] == inputs.${name}).map(one, one[1])`,
      gives: { type: 'array', items: schema },
    },
  ];
  return isSure ? [...reads, { expression: `${path}[inputs.${name}]`, gives: schema }] : reads;
}

/** Each of the names is the value of an input. */
const named = Object.fromEntries([...anyNames, 'other'].map((name) => [name, name]));

const namesAsInputs: JsonObject = {
  type: 'object',
  properties: Object.fromEntries(Object.keys(named).map((name) => [name, { type: 'string' }])),
  required: Object.keys(named),
};

function itemReadings(path: string, name: string, schema: Json | undefined): readonly Reading[] {
  if (schema === undefined) return [];
  return [
    { expression: `${path}.map(one, one["${name}"])`, gives: { type: 'array', items: schema } },
    {
      expression: `${path}.filter(one, has(one.${name})).map(one, one.${name})`,
      gives: { type: 'array', items: schema },
    },
    { expression: `${path}.all(one, has(one.${name}))`, gives: { const: true } },
    { list: path, expression: `item.${name}`, gives: schema },
  ];
}

const got = 'steps.got.output';
const inBraces = (expression: string): string => `\${{ ${expression} }}`;

/** What the expression gives, once or for each item. */
function handedOn(steps: JsonObject, expression: string, list: string | undefined): readonly Json[] {
  const evaluate = (text: string, scope: JsonObject): Json =>
    readExpression(inBraces(text)).evaluate({ steps, inputs: named, ...scope });
  if (list === undefined) return [evaluate(expression, {})];
  return (evaluate(list, {}) as readonly Json[]).map((item) => evaluate(expression, { item }));
}

/**
 * Goal: where the proof says that a workflow can go on, no answer that the new schema allows breaks it.
 * Method: random pairs of output schemas; a workflow reads a part that every answer of the old schema has, and hands it
 * to a tool that takes exactly what the old schema says of that part. For answers that fit the new schema the expression
 * is evaluated, and Ajv judges what it gives.
 */
test('A workflow that is proven to go on is broken by no answer that the new schema allows.', () => {
  let proven = 0;
  fc.assert(
    fc.property(anyPair, fc.nat(), fc.nat(), ({ before, now }, pick, seed) => {
      // What Baton takes on trust, no answer was compared with.
      if (usableSchema(before).trusted.length > 0) return;
      // Draft-07 has no `dependentRequired`.
      const readings = surePartsOf(before, got)
        .flatMap(readingsOf)
        .filter(({ expression }) => dialectOf(before) === '2020-12' || !expression.includes('&& !has'));
      const { expression, gives, list } = readings[pick % readings.length] ?? { expression: got, gives: before };
      const { $defs = {}, $schema } = before;
      const taken: JsonObject = { type: 'object', properties: { x: gives }, $defs, ...defined({ $schema }) };
      const get = { name: 'get', inputSchema: { type: 'object' } };
      const put = { tool: 's/put', with: { x: inBraces(expression) } };
      const use = list === undefined ? put : { forEach: inBraces(list), steps: [put] };
      const changed = { before: { ...get, outputSchema: before }, now: { ...get, outputSchema: now } };
      const steps = [{ id: 'got', tool: 's/get' }, use];
      if (!isProven({ inputs: namesAsInputs, steps }, changed, { name: 'put', inputSchema: taken })) return;
      const answers = valuesOf(usableSchema(now).schema, seed, 24);
      if (answers.length > 0) proven++;
      for (const answer of answers) {
        for (const x of handedOn({ got: { output: answer } }, expression, list))
          expect([expression, answer, x, isValid(taken, { x })]).toEqual([expression, answer, x, true]);
      }
    }),
    tries,
  );
  expect(proven).toBeGreaterThan(tries.numRuns / 20);
});

/**
 * Goal: a member that is gone is missed by every read that does not name it.
 * Method: random schemas of answers lose a random member, so that the new one takes fewer answers than the old one.
 */
test('Nothing proves that a read by a computed name gives what it gave when a member is gone.', () => {
  fc.assert(
    fc.property(anyArgumentsPair, fc.nat(), ({ before: schema }, pick) => {
      const before: JsonObject = { ...schema, required: [] };
      const { properties } = before;
      const [lost] = isObject(properties) ? Object.keys(properties) : [];
      if (lost === undefined || !isObject(properties)) return;
      const { [lost]: member = true, ...kept } = properties;
      const now = { ...before, properties: kept, additionalProperties: false };
      const readings = unnamedReadings(got, lost, member, false);
      const { expression } = readings[pick % readings.length] ?? { expression: got };
      const get = { name: 'get', inputSchema: { type: 'object' } };
      const steps = [
        { id: 'got', tool: 's/get' },
        { tool: 's/put', with: { x: inBraces(expression) } },
      ];
      const changed = { before: { ...get, outputSchema: before }, now: { ...get, outputSchema: now } };
      const put = { name: 'put', inputSchema: { type: 'object' } };
      expect([expression, before, isProven({ inputs: namesAsInputs, steps }, changed, put)]).toEqual([
        expression,
        before,
        false,
      ]);
    }),
    { ...tries, numRuns: tries.numRuns / 2 },
  );
});

/** What Baton sends: the arguments of the call, and defaults of what is needed. */
const sent = (schema: JsonSchema, written: JsonObject): JsonObject => ({ ...defaultsOf(schema), ...written });

/** A definition may refer to itself alone. */
const nestedMax = 12;

/** What a server makes of its arguments that fills in each default. */
function filled(schema: Json | undefined, value: Json, root: JsonObject, depth = 0): Json {
  if (!isObject(schema) || depth > nestedMax) return value;
  const { $ref, allOf, properties, items } = schema;
  let made = value;
  if ($ref === '#/$defs/one' && isObject(root['$defs'])) made = filled(root['$defs']['one'], made, root, depth + 1);
  for (const part of Array.isArray(allOf) ? (allOf as readonly Json[]) : []) made = filled(part, made, root, depth + 1);
  if (Array.isArray(made) && isObject(items))
    return (made as readonly Json[]).map((one) => filled(items, one, root, depth + 1));
  if (!isObject(made) || !isObject(properties)) return made;
  const members = { ...made } as Record<string, Json>;
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(members, name) ? members[name] : defaultIn(property, root);
    if (value !== undefined) members[name] = filled(property, value, root, depth + 1);
  }
  return members;
}

function defaultIn(schema: Json, root: JsonObject, depth = 0): Json | undefined {
  if (!isObject(schema) || depth > nestedMax) return undefined;
  const { default: own, $ref } = schema;
  return own === undefined && $ref === '#/$defs/one' && isObject(root['$defs'])
    ? defaultIn(root['$defs']['one'] ?? true, root, depth + 1)
    : own;
}

/** Whether all of one value is in the other one. */
const holdsAll = (whole: Json, part: Json): boolean =>
  isObject(whole) && isObject(part)
    ? Object.entries(part).every(([name, one]) => Object.hasOwn(whole, name) && holdsAll(whole[name] ?? null, one))
    : JSON.stringify(whole) === JSON.stringify(part) ||
      (Array.isArray(whole) &&
        Array.isArray(part) &&
        whole.length === part.length &&
        part.every((one: Json, i) => holdsAll(whole[i] as Json, one)));

/** Whether what one value has beside the other are members that the schema says nothing of. */
function addsOnlyNew(schema: Json | undefined, root: JsonObject, part: Json, whole: Json): boolean {
  if (!isObject(schema) || !isObject(part) || !isObject(whole)) return true;
  const definitions = isObject(root['$defs']) ? root['$defs'] : {};
  const known = schema['$ref'] === '#/$defs/one' ? definitions['one'] : schema;
  return Object.entries(whole).every(([name, one]) => {
    const own = memberOf(known ?? true, name);
    return Object.hasOwn(part, name) ? addsOnlyNew(own, root, part[name] ?? null, one) : own === undefined;
  });
}

/** A call that the tool before its change probably takes: arguments that are written, or come from inputs. */
interface RandomCall {
  readonly written: JsonObject;
  /** Of the inputs, by the name of the argument that each is for. */
  readonly properties: JsonObject;
  /** Values for each input. */
  readonly values: Readonly<Record<string, readonly (Json | undefined)[]>>;
}

function callOf(before: JsonObject, picks: readonly number[], others: readonly Json[], seed: number): RandomCall {
  const { $defs = {}, $schema, required } = before;
  const needed = Array.isArray(required) ? (required as readonly string[]) : [];
  const listed = isObject(before['properties']) ? Object.keys(before['properties']) : [];
  const made = {
    written: {} as Record<string, Json>,
    properties: {} as Record<string, Json>,
    values: {} as Record<string, (Json | undefined)[]>,
  };
  [...new Set([...needed, ...listed, 'other'])].forEach((name, i) => {
    const pick = picks[i % picks.length] ?? 0;
    const own = memberOf(before, name) ?? true;
    const whole = isObject(own) ? { ...own, $defs, ...defined({ $schema }) } : own === true;
    const fitting = valuesOf(whole, seed + i, 8);
    if (pick % 4 === 0 && (name === 'other' || !needed.includes(name) || pick % 8 === 0)) return;
    if (pick % 4 === 1) made.written[name] = fitting[pick % Math.max(1, fitting.length)] ?? 'a';
    if (pick % 4 < 2) return;
    const other = others[i % others.length] ?? true;
    const isOwn = pick % 4 === 2 && !JSON.stringify(own).includes('$ref');
    made.properties[name] = isOwn ? own : other;
    made.written[name] = pick % 3 === 0 ? `\${{ inputs.?${name} }}` : `\${{ inputs.${name} }}`;
    made.values[name] = [
      ...fitting,
      ...(isObject(other) ? valuesOf(other, seed, 6) : []),
      ...(pick % 3 === 0 ? [undefined] : []),
    ];
  });
  return made;
}

/** Inputs that the workflow takes. */
function inputsFor(inputs: JsonObject, values: RandomCall['values'], seed: number): readonly JsonObject[] {
  return Array.from({ length: 24 }, (_, i) => {
    const given = Object.entries(values).map(
      ([name, all], at) => [name, all[(i * (at + 1) + seed) % all.length]] as const,
    );
    return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as JsonObject;
  }).flatMap((one) => {
    const { inputs: taken } = validateInputs({ inputs }, one);
    return taken === undefined ? [] : [taken];
  });
}

/**
 * Goal: where the proof says that a workflow can go on, the tool takes every call that it took, and each does what it did.
 * Method: random pairs of input schemas; a workflow gives arguments that are written, or come from inputs of random
 * types. Of those that the old schema takes, with the defaults that Baton fills in, Ajv must find that the new one does;
 * and a server that fills in every default must have the same values.
 */
test('A workflow that is proven to go on makes no call that the changed tool refuses or takes otherwise.', () => {
  let proven = 0;
  const picks = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
  const others = fc.array(anySchema, { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(anyArgumentsPair, picks, others, fc.nat(), ({ before, now }, picked, further, seed) => {
      const { written, properties, values: each } = callOf(before, picked, further, seed);
      const required = Object.keys(properties).filter((name) => !JSON.stringify(written[name]).includes('?'));
      const inputs: JsonObject = { type: 'object', properties, required };
      const changed = { before: { name: 'put', inputSchema: before }, now: { name: 'put', inputSchema: now } };
      if (!isProven({ inputs, steps: [{ tool: 's/put', with: written }] }, changed)) return;
      const template = compileMapTemplate(written, '', editionNow);
      let isJudged = false;
      for (const values of inputsFor(inputs, each, seed)) {
        const own = template.evaluate({ inputs: values });
        const [old, fresh] = [sent(before, own), sent(now, own)];
        if (!isValid(before, old)) continue;
        isJudged = true;
        expect([old, fresh, isValid(now, fresh)]).toEqual([old, fresh, true]);
        const known = isObject(now['properties']) ? now['properties'] : {};
        const filledBefore = filled(before, old, before) as JsonObject;
        const meant = Object.entries(filledBefore).filter(
          ([name]) => Object.hasOwn(old, name) || Object.hasOwn(known, name),
        );
        const taken = filled(now, fresh, now);
        const isSame = holdsAll(taken, Object.fromEntries(meant)) && addsOnlyNew(before, before, filledBefore, taken);
        expect([old, taken, isSame]).toEqual([old, taken, true]);
      }
      if (isJudged) proven++;
    }),
    tries,
  );
  expect(proven).toBeGreaterThan(tries.numRuns / 40);
});
