import { EvaluationError } from '@baton/expressions';
import { planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { turnOf } from './turn.ts';

const plan = (concurrency: string) =>
  planOf(`
workflow: scan
inputs: { org: { type: string, optional: true } }
concurrency: ${concurrency}
steps: [{ set: { done: true } }]
`);

const deployed = { workflow: 'scan', version: 3 };

describe('[L-042] runs that count together', () => {
  test('are those of one workflow with the same key, of any version', () => {
    const keyed = plan('{ key: "${{ inputs.org }}", limit: 2, whenFull: reject }');
    const turn = { workflow: 'scan', isInline: false, key: 'acme', limit: 2, whenFull: 'reject' };
    expect(turnOf(keyed, deployed, { org: 'acme' })).toEqual(turn);
    expect(turnOf(keyed, { ...deployed, version: 4 }, { org: 'acme' })).toEqual(turn);
    expect(turnOf(keyed, deployed, { org: 'globex' })?.key).toBe('globex');
  });

  test('are all of them without a key; one runs at a time, the others wait', () => {
    const turn = turnOf(plan('{}'), deployed, { org: 'acme' });
    expect(turn).toMatchObject({ limit: 1, whenFull: 'queue' });
    expect(turnOf(plan('{}'), deployed, { org: 'globex' })).toEqual(turn);
  });

  test('do not count together with inline workflows of the same name', () => {
    expect(turnOf(plan('{}'), { workflow: 'scan', version: undefined }, {})).toMatchObject({ isInline: true });
  });

  test('are not the items of a run, which run within its turn', () => {
    expect(turnOf(plan('{}'), { ...deployed, part: { path: 'scans', index: 1 } }, {})).toBe(undefined);
  });

  test('must have a key that can be computed', () => {
    const keyed = plan('{ key: "${{ inputs.org }}" }');
    expect(() => turnOf(keyed, deployed, {})).toThrow(EvaluationError);
  });
});
