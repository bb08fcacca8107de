import { expect, test } from 'vitest';

import { checkWorkflow } from '../parseWorkflow.ts';
import { known } from '../testing/offers.ts';

const step = 'steps: [{ set: { a: 1 } }]\n';

test.each([
  [`budget: 80\n${step}`, 'a map with usd, tokens or toolCalls', '{ usd: 80 }'],
  [`concurrency: pay\n${step}`, 'a map with key, limit or whenFull', '{ key: pay }'],
  [`budget: true\n${step}`, 'a map with usd, tokens or toolCalls', undefined],
  [`on: [{ run: orders }]\n${step}`, 'a map with workflow, status, after, waiting or budget', '{ workflow: orders }'],
  [
    `on: [{ run: { workflow: "*", budget: 80 } }]\n${step}`,
    'a share from 1% to 100%, as in 80%',
    'did you mean "80%"?',
  ],
  [`on: [{ run: { workflow: "*", budget: { usd: 3 } } }]\n${step}`, 'a share from 1% to 100%, as in 80%', undefined],
])('Of a value of another kind it is said what belongs there, and how it is written: %s', (text, expected, hint) => {
  const { findings } = checkWorkflow(`workflow: w\n${text}`, known);
  expect(findings).toEqual([expect.objectContaining({ code: 'wrong-type', expected })]);
  expect(findings[0]?.hint).toBe(hint);
});
