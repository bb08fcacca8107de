/** The cases that CEL's own implementations have to pass, as far as this language keeps CEL. */
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { Evaluation, EvaluationFailed } from './evaluation.ts';
import { SyntaxProblem } from './parse.ts';
import { compileSource } from './source.ts';
import { type Value, Instant, isMap, KindValue, Period } from './value.ts';

/**
 * JSON, with `{"$bytes"}`, `{"$int"}`, `{"$timestamp"}`, `{"$duration"}` and `{"$type"}` for what JSON does not have.
 */
type WrittenValue =
  | null
  | boolean
  | number
  | string
  | readonly WrittenValue[]
  | { readonly [key: string]: WrittenValue };

interface Case {
  readonly name: string;
  readonly expr: string;
  readonly bindings?: Readonly<Record<string, WrittenValue>>;
  readonly value?: WrittenValue;
  readonly error?: true;
}

interface Suite {
  readonly leftOut: Readonly<Record<string, number>>;
  readonly differing: Readonly<Record<string, readonly string[]>>;
  readonly sections: Readonly<Record<string, readonly Case[]>>;
}

const { sections, differing } = JSON.parse(
  readFileSync(new URL('../../fixtures/cel-conformance.json', import.meta.url), 'utf8'),
) as Suite;

/** What CEL calls them. */
const typeNames: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
};

const msOf = (written: WrittenValue): number => {
  const [seconds, nanos] = written as readonly [number, number];
  return seconds * 1_000 + Math.trunc(nanos / 1e6);
};

function read(written: WrittenValue): Value {
  if (typeof written !== 'object' || written === null) return written;
  if (Array.isArray(written)) return (written as readonly WrittenValue[]).map(read);
  const map = written as Readonly<Record<string, WrittenValue>>;
  const [key, inside] = Object.entries(map)[0] ?? ['', ''];
  const text = typeof inside === 'string' ? inside : '';
  if (key === '$bytes') return new Uint8Array(Buffer.from(text, 'base64'));
  if (key === '$int') return BigInt(text);
  if (key === '$timestamp') return new Instant(msOf(inside));
  if (key === '$duration') return new Period(msOf(inside));
  if (key === '$type') return new KindValue(typeNames[text] ?? text);
  return Object.fromEntries(Object.entries(map).map(([name, one]) => [name, read(one)]));
}

/** Integers that JSON numbers hold are the same as those. */
function comparable(value: Value): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === 0) return 0;
  if (Array.isArray(value)) return value.map(comparable);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, comparable(one)]));
}

function outcomeOf({ expr, bindings = {} }: Case): unknown {
  const scope = Object.fromEntries(Object.entries(bindings).map(([name, one]) => [name, read(one)]));
  try {
    return { value: comparable(compileSource(expr).run(new Evaluation(scope))) };
  } catch (error) {
    if (error instanceof EvaluationFailed || error instanceof SyntaxProblem) return { error: true };
    throw error;
  }
}

test.each(Object.entries(sections))('[L-111] %s', (_, cases) => {
  const outcomes = cases.map((one) => ({ name: one.name, ...(outcomeOf(one) as object) }));
  const expected = cases.map(({ name, value, error }) =>
    error === true ? { name, error } : { name, value: comparable(read(value ?? null)) },
  );
  expect(outcomes).toEqual(expected);
});

test('there are 950 cases, and few that are meant to differ', () => {
  expect(Object.values(sections).flat().length).toBeGreaterThan(950);
  expect(Object.values(differing).flat().length).toBeLessThan(40);
});
