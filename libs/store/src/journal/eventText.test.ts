import { play } from '@baton/engine';
import { planOf, textResult } from '@baton/testing';
import { expect, test } from 'vitest';

import { eventText } from './eventText.ts';

test('the events of a step begin with its path, by which they are found, and have the attempt before what servers say', () => {
  const plan = planOf(`
workflow: w
steps:
  - { id: read, tool: s/t, effect: read, retry: { attempts: 2 }, onError: ignore }
  - { id: wrote, tool: s/t, effect: write, onError: ignore }
  - { id: each, forEach: "\${{ [1, 2] }}", steps: [{ id: item, tool: s/t, effect: idempotent }] }
  - { id: asked, ask: Well? }
`);
  const failure = { code: 'server-error', message: 'no', details: { attempt: 7, path: 'other' } };
  const { journal } = play(plan, {
    answer: ({ path }) => {
      if (path === 'read') return { failure, delivery: 'answered' };
      return path === 'wrote'
        ? { failure, delivery: 'unknown' }
        : { result: textResult({ attempt: 7, path: 'other' }) };
    },
  });
  const ofSteps = journal.flatMap((event) => ('path' in event ? [event] : []));
  expect(ofSteps.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['started', 'retrying', 'failed', 'unknown', 'succeeded'].map((end) => `step.${end}`)),
  );
  const found = ofSteps.map((event) => {
    const text = eventText(event);
    const attempt = 'attempt' in event ? /"attempt":(\d+)/.exec(text)?.[1] : undefined;
    return [/^\{"path":("[^"]*"),/.exec(text)?.[1], attempt];
  });
  expect(found).toEqual(
    ofSteps.map((event) => [JSON.stringify(event.path), 'attempt' in event ? String(event.attempt) : undefined]),
  );
});
