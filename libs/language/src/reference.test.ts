import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { defaults } from './compile/defaults.ts';
import { durationText } from './document/duration.ts';
import { keysOf } from './document/shape.ts';
import { verbs } from './document/step.ts';
import { expressionsPage, findingsPage, schemaFile } from './reference.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('what is generated is not stale: `npm run generate -w libs/language`', () => {
  test('schema/workflow.json', () => {
    expect(read('schema/workflow.json')).toBe(schemaFile());
  });

  test('docs/reference/findings.md', () => {
    expect(read('docs/reference/findings.md')).toBe(findingsPage());
  });

  test('docs/expressions.md, whose tables have every function with an example', () => {
    const page = read('docs/expressions.md');
    expect(page).toBe(expressionsPage(page));
  });
});

describe('docs/language.md', () => {
  const page = read('docs/language.md');

  test('names every verb and every key', () => {
    const shapes = [
      'workflow',
      ...verbs.map((verb) => `${verb}Step`),
      'sample',
      'retry',
      'timeout',
      'budget',
      'concurrency',
      'scheduleTrigger',
      'webhookTrigger',
      'resourceTrigger',
      'pollTrigger',
      'eventTrigger',
      'runTrigger',
      'runTriggerOptions',
      'toolTrigger',
      'deviceTrigger',
    ];
    const keys = new Set(shapes.flatMap(keysOf));
    expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
  });

  test('tells the defaults', () => {
    const { retry, forEach, parallel, sample, schedule } = defaults;
    const told = [
      `attempts: ${retry.attempts}`,
      `backoff: ${retry.backoff}`,
      `delay: ${durationText(retry.delayMs)}`,
      `maxDelay: ${durationText(retry.maxDelayMs)}`,
      `maxParallel: ${forEach.maxParallel}`,
      `${parallel.maxParallel}`,
      `maxTokens: ${sample.maxTokens}`,
      `catchUpWindow: ${durationText(schedule.catchUpWindowMs)}`,
    ];
    expect(told.filter((one) => !page.includes(one))).toEqual([]);
  });
});
