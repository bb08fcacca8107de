import { expect, test } from 'vitest';

import { decideEffect } from './effect.ts';

const readOnly = { readOnlyHint: true };

test('[L-080] the step’s word counts most, then the operator’s, then the server’s own, and by default a call is felt', () => {
  const effects = { 'get_*': 'idempotent' } as const;
  expect(decideEffect({ tool: 'get_x', step: 'write', effects, annotations: readOnly })).toEqual({
    effect: 'write',
    from: 'step',
  });
  expect(decideEffect({ tool: 'get_x', effects, annotations: readOnly })).toEqual({
    effect: 'idempotent',
    from: 'server',
  });
  expect(decideEffect({ tool: 'x', effects, annotations: readOnly })).toEqual({ effect: 'read', from: 'annotations' });
  expect(decideEffect({ tool: 'x', annotations: { idempotentHint: true } })).toEqual({
    effect: 'idempotent',
    from: 'annotations',
  });
  expect(decideEffect({ tool: 'x', annotations: { readOnlyHint: false } })).toEqual({
    effect: 'write',
    from: 'default',
  });
  expect(decideEffect({ tool: 'x' })).toEqual({ effect: 'write', from: 'default' });
});

test('a server that is not trusted is not believed', () => {
  expect(decideEffect({ tool: 'x', trust: false, annotations: readOnly })).toEqual({
    effect: 'write',
    from: 'default',
  });
});

test.each([
  [{ '*': 'read', 'get_*': 'idempotent', get_secret: 'write' }, 'get_secret', 'write'],
  [{ '*': 'read', 'get_*': 'idempotent', get_secret: 'write' }, 'get_other', 'idempotent'],
  [{ '*': 'read', 'get_*': 'idempotent', get_secret: 'write' }, 'other', 'read'],
  [{ 'get_*': 'read', '*_all': 'write' }, 'get_all', 'write'],
  [{ '*_all': 'write', 'get_*': 'read' }, 'get_all', 'write'],
] as const)(
  'of several patterns the one that says more decides, and of equals the more careful: %o, %s',
  (effects, tool, effect) => {
    expect(decideEffect({ tool, effects })).toEqual({ effect, from: 'server' });
  },
);

test('a tool cannot be named into the prototype', () => {
  expect(decideEffect({ tool: 'constructor', effects: {} })).toEqual({ effect: 'write', from: 'default' });
});
