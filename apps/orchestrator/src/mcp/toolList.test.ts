import { authoringNames, generalNames } from '@baton/control';
import { expect, test } from 'vitest';

import { authoringAnswers } from '../authoring/authoringAnswers.ts';
import { authoringTools } from '../authoring/authoringTools.ts';
import { generalAnswers } from '../tools/generalAnswers.ts';
import { generalToolsFor } from './generalTools.ts';

const tools = [
  ...generalToolsFor({ id: 'k', name: 'admin', by: 'admin', scopes: new Set(['admin']) }),
  ...authoringTools,
];

test('the list of the own tools, which each session of a model carries, has less than 12,000 characters', () => {
  expect(tools.map(({ name }) => name)).toEqual([...generalNames, ...authoringNames]);
  expect(JSON.stringify({ tools }).length).toBeLessThan(12_000);
});

test('each tool says what it does, and each answer with a next step has its schema', () => {
  expect(tools.filter(({ title, description = '' }) => title === undefined || description.length < 10)).toEqual([]);
  const withSchema = tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name);
  expect(withSchema.toSorted()).toEqual(Object.keys({ ...generalAnswers, ...authoringAnswers }).toSorted());
});
