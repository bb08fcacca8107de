import { planOf } from '@baton/testing';
import { expect, test } from 'vitest';

import type { Principal } from './scopes.ts';
import { checkSecretUse } from './secretUse.ts';

const uses = 'tool: s/get, with: { key: "${{ secrets.KEY }}" }';

test.each([
  ['a step', `{ ${uses} }`],
  ['a handler', `{ tool: s/t, onError: [{ ${uses} }] }`],
  ['an undo', `{ tool: s/t, undo: { ${uses} } }`],
  ['a check of an unknown outcome', `{ tool: s/t, ifUnknown: check, check: { ${uses}, happened: "true" } }`],
  ['a case', `{ switch: [{ when: "true", steps: [{ ${uses} }] }] }`],
  ['a step of a `parallel`', `{ parallel: [{ ${uses} }, { tool: s/t }] }`],
  ['a `finally` of a group', `{ steps: [{ tool: s/t }], finally: [{ ${uses} }] }`],
  ['a loop', `{ forEach: "\${{ [1] }}", steps: [{ ${uses} }] }`],
])('a workflow that comes with its run uses no secret in %s without secrets:use', (_, step) => {
  const plan = planOf(`workflow: w\nsteps:\n  - ${step}\n`);
  const withScopes = (...scopes: string[]): Principal => ({ id: 'k', name: 'k', by: 'k', scopes: new Set(scopes) });
  expect(() => checkSecretUse(withScopes('runs:write'), plan)).toThrow('This workflow uses the secret "KEY"');
  expect(() => checkSecretUse(withScopes('runs:write', 'secrets:use'), plan)).not.toThrow();
});
