import type { Run } from '@baton/api/client';
import { runSentence } from '@baton/engine';
import pc from 'picocolors';
import { expect, test } from 'vitest';

import { createOutput } from '../output/output.ts';
import { drawRunAnswer } from './drawRunAnswer.ts';

const createdAt = '2026-11-17T09:00:00.000Z';

function drawn(message: string, more: Partial<Run> = {}): string {
  const error = { code: 'outcome-unknown', message, step: 'pay' } as const;
  const [at, none] = [Date.parse(createdAt), undefined];
  const times = { createdAt: at, startedAt: at, endedAt: at, notBefore: none };
  const input = { ...times, isCancelling: false, cancelledBy: none, questions: 0 };
  const sentence = runSentence({ ...input, status: 'failed', failure: error }, [], at);
  const run: Run = {
    id: 'run-1',
    workflow: 'pay',
    version: 1,
    status: 'failed',
    trigger: { kind: 'api' },
    tags: [],
    priority: 0,
    inputs: {},
    steps: [],
    progress: { finished: 0, total: 1 },
    links: { self: '', events: '' },
    createdAt,
    endedAt: createdAt,
    error,
    sentence,
    ...more,
  };
  const output = { ...createOutput(process.stdout, {}), paint: pc.createColors(false), columns: () => 80 };
  return drawRunAnswer(output, run, { nowMs: at }).join('\n').replaceAll(/\s+/g, ' ');
}

test('a message that is too long for the sentence about the run is told once, whole', () => {
  const long = `The call was sent and its answer is lost. ${'It may or may not have happened. '.repeat(9)}Look there.`;
  const text = drawn(long);
  expect(text).toMatch(/^It failed\. Started /);
  expect(text.split('its answer is lost')).toHaveLength(2);
  expect(text).toContain('Look there.');
  expect(drawn('No money.')).toMatch(/^It failed: No money\. /);
});

test('a run whose values the reader may not read says so, and shows null for none of them', () => {
  const attempts = [{ n: 1, status: 'failed' as const, startedAt: createdAt, endedAt: createdAt }];
  const step = { id: 'pay', path: 'pay', verb: 'tool' as const, status: 'failed' as const, attempts };
  const steps = [{ ...step, arguments: null, output: null }];
  const hidden = drawn('It failed.', { valuesHidden: true, inputs: null, outputs: null, steps });
  expect(hidden).toContain('Values are hidden: your role may not read them (runs:values).');
  expect(hidden).not.toContain('null');
  expect(drawn('It failed.', { inputs: null, steps })).not.toContain('hidden');
});
