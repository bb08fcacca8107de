/** Arguments are compared with the pinned schema when the call is made: what does not fit is not sent. */
import type { JsonObject } from '@baton/primitives';
import { type PlayAnswer, planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { play } from './play/play.ts';

const amount: JsonObject = {
  type: 'object',
  properties: { amount: { type: 'number' }, token: { type: 'string', minLength: 20 } },
  required: ['amount'],
  additionalProperties: false,
};

const played = (steps: string, answer?: PlayAnswer, inputs: JsonObject = { a: 'lots' }, schema = amount) =>
  play(
    planOf(`workflow: w\ninputs: { a: {}, b: { optional: true } }\n${steps}`, {}, { 's/pay': { inputSchema: schema } }),
    {
      inputs,
      ...(answer && { answer }),
    },
  );

const failing: PlayAnswer = ({ target }) =>
  target === 's/pay' ? { result: {} } : { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' };
const lost: PlayAnswer = ({ target }) =>
  target === 's/pay' ? { result: {} } : { failure: { code: 'timeout', message: 'No.' }, delivery: 'unknown' };

const pay = 'tool: s/pay, with: { amount: "${{ inputs.a }}" }';

describe('a call whose computed arguments do not fit the pinned schema', () => {
  test('fails unsent, without an intent, and says what does not fit', () => {
    const { run, calls, journal } = played(`steps: [{ id: p, ${pay} }]`);
    expect(calls).toEqual([]);
    expect(journal.filter(({ type }) => type === 'step.started')).toEqual([]);
    const message =
      'The arguments do not fit the tool s/pay, which was not called. "amount" has to be a number, and here is a text.';
    expect(journal.find(({ type }) => type === 'step.failed')).toMatchObject({
      path: 'p',
      failure: {
        code: 'invalid-arguments',
        message,
        step: 'p',
        details: { errors: [{ pointer: '/amount', message: '"amount" has to be a number, and here is a text.' }] },
      },
    });
    expect(run.status).toBe('failed');
  });

  test.each<[string, string, PlayAnswer?]>([
    ['in a handler', `steps: [{ tool: s/x, onError: [{ steps: [{ ${pay} }] }] }]`, failing],
    ['in an undo', `steps: [{ tool: s/y, undo: { ${pay} } }, { fail: no }]`],
    ['in a check', `steps: [{ tool: s/x, ifUnknown: check, check: { ${pay}, happened: "true" } }]`, lost],
    ['in `finally`', `steps: [{ set: { x: 1 } }]\nfinally: [{ ${pay} }]`],
    ['in `onFailure`', `steps: [{ fail: no }]\nonFailure: [{ ${pay} }]`],
    ['in an item', `steps: [{ forEach: [1], steps: [{ ${pay} }] }]`],
    ['in a distributed item', `steps: [{ forEach: [1], distribute: true, steps: [{ ${pay} }] }]`],
    ['in a race', `steps: [{ until: first, parallel: [{ id: p, ${pay} }] }]`],
    ['that is null', 'steps: [{ tool: s/pay, with: { amount: "${{ inputs.?b.orValue(null) }}" } }]'],
    ['that is left out', 'steps: [{ tool: s/pay, with: { amount: "${{ inputs.?b }}" } }]'],
  ])('is not made %s', (_, steps, answer) => {
    expect(played(steps, answer).calls.filter(({ target }) => target === 's/pay')).toEqual([]);
  });

  test('is not made again where an earlier attempt has failed', () => {
    const text =
      'steps: [{ id: p, tool: s/pay, with: { amount: "${{ inputs.a }}" }, retry: { attempts: 3, on: [timeout, invalid-arguments] } }]';
    expect(played(text).calls).toEqual([]);
  });

  test('can be handled like any failure', () => {
    const { run, calls } = played(
      `steps: [{ ${pay}, onError: [{ match: [invalid-arguments], steps: [{ tool: s/other }] }] }]`,
    );
    expect([run.status, calls.map(({ target }) => target)]).toEqual(['succeeded', ['s/other']]);
  });
});

describe('a call is made', () => {
  test.each<[string, string, JsonObject, JsonObject?]>([
    ['whose computed arguments fit', `steps: [{ ${pay} }]`, { a: 7 }],
    [
      'with a secret, whose mask does not fit',
      'steps: [{ tool: s/pay, with: { amount: 1, token: "${{ secrets.K }}" } }]',
      { a: 1 },
    ],
    ['whose schema cannot be compiled', `steps: [{ ${pay} }]`, { a: 'x' }, { type: 'object', $ref: '#/$defs/none' }],
    [
      'whose missing argument has a default, which is sent with it',
      'steps: [{ tool: s/pay }]',
      { a: 1 },
      { type: 'object', properties: { amount: { type: 'number', default: 3 } }, required: ['amount'] },
    ],
  ])('%s', (_, steps, inputs, schema) => {
    const { calls } = played(steps, undefined, inputs, schema);
    expect(calls.map(({ target }) => target)).toEqual(['s/pay']);
  });

  test('whose arguments are so many that comparing them would take too long', () => {
    const many = { type: 'object', properties: { list: { type: 'array', items: amount } } };
    const text = 'steps: [{ tool: s/pay, with: { list: "${{ inputs.a }}" } }]';
    const list = Array.from({ length: 200_000 }, () => ({ amount: 1 }));
    expect(played(text, undefined, { a: list }, many).calls).toHaveLength(1);
  });
});
