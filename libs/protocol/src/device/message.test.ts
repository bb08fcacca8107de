import { validator } from '@baton/expressions';
import type { Json } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import { readDeviceMessage, readServices, type DeviceServices } from './message.ts';
import { parameterSchema } from './parameterSchema.ts';

const registered = (services: unknown): DeviceServices => {
  const read = readDeviceMessage({ type: 'register', data: { services } });
  if (read.type !== 'register') throw new Error(JSON.stringify(read));
  return readServices(read.services);
};

/** As in the seed. */
const createFile = {
  description: 'Create a local file and write content',
  parameters: {
    type: 'object',
    properties: {
      filename: { type: 'string', description: 'Name of the file to create' },
      content: { type: 'string', description: 'Text to write into the file' },
    },
    required: ['filename', 'content'],
  },
};

test('a registration: who it is, and its services with their parameters', () => {
  const data = { device: 'desk-1', token: 't', services: { create_file: createFile } };
  expect(readDeviceMessage({ type: 'register', data })).toEqual({ type: 'register', ...data });
  expect(registered(data.services)).toEqual({
    services: [{ name: 'create_file', description: createFile.description, inputSchema: createFile.parameters }],
    problems: [],
  });
});

test('the template of the seed is a registration like any other', () => {
  const parameters = {
    type: 'object',
    properties: {
      paramName: { type: 'string|number|boolean|array|object', description: 'Meaning', enum: ['optional', 'value'] },
    },
    required: ['mandatoryParam1', 'mandatoryParam2'],
  };
  const { services } = registered({ serviceName: { description: 'What this service does', parameters } });
  expect(services[0]?.inputSchema).toMatchObject({
    properties: { paramName: { type: ['string', 'number', 'boolean', 'array', 'object'] } },
    required: ['mandatoryParam1', 'mandatoryParam2'],
  });
});

describe('parameters are checked as they are described', () => {
  const { schema } = parameterSchema({
    properties: {
      either: { type: 'string | number' },
      level: { type: 'integer', minimum: 0, maximum: 10 },
      name: { type: 'string', minLength: 2, maxLength: 4 },
      format: { type: 'string', enum: ['simple', 'detailed'] },
      list: { type: 'array', items: { type: 'boolean|null' } },
      whatever: { type: 'any' },
    },
    required: ['level'],
  }) as { schema: { [key: string]: Json } };
  const isValid = (value: Json): boolean => validator(schema).validate?.(value).length === 0;

  test.each<Json>([
    { level: 0 },
    { level: 10, either: 'x', name: 'abcd', format: 'simple', list: [true, null], whatever: {} },
    { level: 3, either: 1.5, whatever: 'x' },
  ])('%j fits', (value) => expect(isValid(value)).toBe(true));

  test.each<Json>([
    {},
    { level: -1 },
    { level: 11 },
    { level: 1.5 },
    { level: 1, either: true },
    { level: 1, name: 'a' },
    { level: 1, name: 'abcde' },
    { level: 1, format: 'other' },
    { level: 1, list: ['x'] },
  ])('%j does not', (value) => expect(isValid(value)).toBe(false));
});

test.each([
  ['no object', 'x', 'not described by an object'],
  ['a type that there is not', { parameters: { properties: { a: { type: 'strng' } } } }, 'no type "strng"'],
  ['parameters that are a list', { parameters: [] }, 'are no object'],
  ['parameters of another type', { parameters: { type: 'string' } }, 'not of type "object"'],
  [
    'a schema that is none',
    { parameters: { properties: { a: { type: 'string', minLength: 'x' } } } },
    'no JSON Schema',
  ],
  ['a forbidden name', { parameters: { properties: { constructor: {} } } }, 'not allowed'],
])('one service that is wrong is left out, and the others are taken: %s', (_, wrong, problem) => {
  const { services, problems } = registered({ wrong, good: {} });
  expect(services.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toEqual([expect.stringContaining(problem)]);
});

test.each([
  ['with a space', 'a b'],
  ['with a slash in front', '/etc'],
  ['that turns the writing round', 'a\u202Eb'],
  ['with an escape sequence', '\u001B[31mred'],
  ['that objects have anyway', 'constructor'],
  ['without letters', ''],
])('a service cannot have a name %s', (_, name) => {
  expect(registered({ [name]: {} }).services).toEqual([]);
});

describe('a result', () => {
  const outcome = (result: unknown): unknown => {
    const read = readDeviceMessage({ type: 'result', data: { call_id: 'c', result } });
    return read.type === 'result' ? read.outcome : read;
  };

  test('says what came of it, or what went wrong', () => {
    expect(outcome({ success: true, data: { on: true } })).toEqual({ data: { on: true } });
    expect(outcome({ success: true })).toEqual({ data: undefined });
    expect(outcome({ success: false, error: 'the door is \u001B[31mstuck' })).toEqual({ error: 'the door is stuck' });
    expect(outcome({ success: false })).toEqual({ error: '' });
  });

  test.each([[undefined], ['done'], [{}], [{ success: 'true' }]])('that says neither is a problem: %j', (said) => {
    expect(outcome(said)).toEqual({ problem: expect.any(String) as string });
  });
});

test.each([
  [[]],
  [null],
  [{ type: 'call', data: {} }],
  [{ type: 'register' }],
  [{ type: 'register', data: {} }],
  [{ type: 'register', data: { device: '../x', services: {} } }],
  [{ type: 'register', data: { token: 7, services: {} } }],
  [{ type: 'result', data: { call_id: 7 } }],
])('%j is no message', (message) => {
  expect(readDeviceMessage(message)).toEqual({ type: 'invalid', problem: expect.stringMatching(/\.$/) as string });
});
