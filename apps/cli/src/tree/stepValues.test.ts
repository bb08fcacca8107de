import type { Step } from '@baton/api/client';
import pc from 'picocolors';
import { expect, test } from 'vitest';

import { widthOf } from '../output/text.ts';
import { drawStep, drawStepValues } from './stepValues.ts';

const paint = pc.createColors(false);
const terminal = { paint, columns: () => 80 };

const step = (path: string, more: Partial<Step> = {}): Step => ({
  id: path,
  path,
  verb: 'tool',
  target: 'tracker/create_ticket',
  status: 'succeeded',
  attempts: [],
  ...more,
});

const long = 'a text that is far too long for one line of a terminal, and then some more of it after that';

test('steps are shown with arguments and answer, a line each, within 80 columns', () => {
  const lines = drawStepValues(
    [step('first', { arguments: { title: long }, output: { id: 1 } }), step('waits', { verb: 'wait' })],
    terminal,
  );
  expect(lines.slice(2)).toEqual([
    '  ✓ first  tracker/create_ticket',
    expect.stringMatching(/^ {4}with {3}\{"title":"a text that is far .*…$/),
    '    answer {"id":1}',
  ]);
  expect(Math.max(...lines.map(widthOf))).toBeLessThan(80);
});

test('what a step that failed was called with is indented, and shown before that of many others', () => {
  const others = Array.from({ length: 20 }, (_, i) => step(`step-${i}`, { arguments: { i } }));
  const failed = step('broken', { status: 'failed', arguments: { title: long, tags: ['a', 'b'] } });
  const text = drawStepValues([...others, failed], terminal).join('\n');
  expect(text).toContain('"tags": [\n');
  expect(text).toContain('… and 9 more; one of them: baton runs show RUN STEP');
});

test('a large value is shown by its beginning, and control characters never reach the terminal', () => {
  const output = { $large: { bytes: 70_000, preview: '["\u001B[2J' } };
  const text = drawStepValues([step('much', { output })], terminal).join('\n');
  expect(text).toContain('(70000 bytes in all)');
  expect(text).not.toContain('\u001B');
});

test('one step is shown whole, with its attempts and its failure', () => {
  const attempts: Step['attempts'] = [
    {
      n: 1,
      status: 'failed',
      startedAt: '2026-11-22T12:00:00.000Z',
      endedAt: '2026-11-22T12:00:01.500Z',
      worker: 'w1',
    },
  ];
  const error = { code: 'tool-failed', message: 'no such project' } as const;
  const lines = drawStep(step('broken', { status: 'failed', arguments: { title: long }, attempts, error }), { paint });
  expect(lines).toEqual(
    expect.arrayContaining([
      '✗ broken  tool tracker/create_ticket',
      '  attempt 1: failed in 1.5 s, from 2026-11-22T12:00:00.000Z, on w1',
      `    "title": "${long}"`,
      '  no such project',
    ]),
  );
});

test('The answer of a model that does not fit the declared output is shown.', () => {
  const error = {
    code: 'output-invalid',
    message: 'It does not fit.',
    details: { answer: '{"label":"a","urgency":2}' },
  };
  const sampled = step('classify', { verb: 'sample', status: 'failed', error });
  const shown = '    answer {"label":"a","urgency":2}';
  expect(drawStepValues([sampled], terminal)).toContain(shown);
  expect(drawStep(sampled, { paint })).toEqual(expect.arrayContaining(['answer', '  {"label":"a","urgency":2}']));
});
