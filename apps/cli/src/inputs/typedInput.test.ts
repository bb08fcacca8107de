import type { JsonObject } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import { inputsOf, refuseMissing } from './readInputs.ts';
import { typedInput } from './typedInput.ts';

describe('what is typed', () => {
  test('stays text where the schema wants text, however much it looks like something else', () => {
    expect(typedInput('42', { type: 'string' })).toEqual({ value: '42' });
    expect(typedInput('null', { type: 'string' })).toEqual({ value: 'null' });
    expect(typedInput('{"a":1}', { enum: ['x'] })).toEqual({ value: '{"a":1}' });
  });

  test('becomes what the schema wants', () => {
    expect(typedInput('42', { type: 'integer' })).toEqual({ value: 42 });
    expect(typedInput('true', { type: 'boolean' })).toEqual({ value: true });
    expect(typedInput('["a"]', { type: 'array' })).toEqual({ value: ['a'] });
    expect(typedInput('7', { type: ['string', 'number'] })).toEqual({ value: 7 });
    expect(typedInput('seven', { anyOf: [{ type: 'string' }, { type: 'number' }] })).toEqual({ value: 'seven' });
  });

  test('is what it reads as where there is no schema', () => {
    expect(typedInput('42', undefined)).toEqual({ value: 42 });
    expect(typedInput('Chicago', undefined)).toEqual({ value: 'Chicago' });
  });

  test('is refused where it cannot be what the schema wants', () => {
    expect(typedInput('often', { type: 'integer' })).toEqual({ problem: 'must be a whole number, and is "often"' });
    expect(typedInput('yes', { type: 'boolean' })).toEqual({ problem: 'must be true or false, and is "yes"' });
    const { problem = '' } = typedInput('x'.repeat(500), { type: 'object' }) as { problem?: string };
    expect(problem.length).toBeLessThan(130);
  });

  test('is refused where a number would not stay what was typed', () => {
    expect(typedInput('9007199254740993', { type: 'integer' })).toHaveProperty('problem');
    expect(typedInput('9007199254740993', undefined)).toHaveProperty('problem');
    expect(typedInput('{"id":9007199254740993}', { type: 'object' })).toHaveProperty('problem');
    expect(typedInput('9007199254740993', { type: 'string' })).toEqual({ value: '9007199254740993' });
  });

  test('is refused where an object has a key twice', () => {
    const { problem } = typedInput('{"a":1,"a":2}', { type: 'object' }) as { problem?: string };
    expect(problem).toContain('which cannot be taken: /a: The key "a" occurs twice in this object');
  });
});

describe('pairs', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } };

  test('are split at the first sign of equality, and typed by the schema', () => {
    expect(inputsOf(['city=a=b', 'days=3', 'other=[1]'], schema)).toEqual({ city: 'a=b', days: 3, other: [1] });
  });

  test('may have an empty value, and no empty name', () => {
    expect(inputsOf(['city='], schema)).toEqual({ city: '' });
    expect(() => inputsOf(['=Chicago'], schema)).toThrow('has no name and value');
    expect(() => inputsOf(['city'], schema)).toThrow('has no name and value');
  });

  test('are given once each', () => {
    expect(() => inputsOf(['city=a', 'city=b'], schema)).toThrow('"city" is given twice.');
  });

  test('are only ever own keys', () => {
    const inputs = inputsOf(['__proto__={"x":1}'], undefined);
    expect(Object.keys(inputs)).toEqual(['__proto__']);
    expect(inputs['x']).toBe(undefined);
  });
});

describe('what is missing', () => {
  const schema = {
    type: 'object',
    properties: { who: { type: 'string' }, n: { type: 'integer' }, tone: { default: 'mild' } },
    required: ['who', 'n', 'tone'],
  };

  const refusal = (given: JsonObject) => {
    try {
      return refuseMissing(given, schema);
    } catch (error) {
      return error;
    }
  };

  test('is named, with how to give it', () => {
    expect(refusal({})).toMatchObject({ message: '"who", "n" are missing.', hint: 'add -i who=… -i n=…' });
    expect(refusal({ who: 'Ada' })).toMatchObject({ message: '"n" is missing.', hint: 'add -i n=…' });
    expect(refusal({ who: 'Ada', n: 1 })).toBe(undefined);
  });

  test('is the hint where it is there, misspelt', () => {
    expect(refusal({ hwo: 'Ada', n: 1 })).toMatchObject({
      message: 'There is no input "hwo".',
      hint: 'did you mean "who"?',
    });
  });

  test('may be there under another name, which the server explains', () => {
    expect(refusal({ person: 'Ada', n: 1 })).toBe(undefined);
  });
});

test('a command tells of all wrong inputs at once, also of those whose type is right', () => {
  const wanted = {
    properties: { n: { type: 'number' }, on: { type: 'boolean' }, d: { type: 'string', format: 'date' } },
  };
  expect(() => inputsOf(['n=1,5', 'on=yes', 'd=24.12.2026'], wanted)).toThrow(
    '"n" must be a number, and is "1,5". "on" must be true or false, and is "yes". "d" has to be a date such as 2026-12-24, and is "24.12.2026".',
  );
});
