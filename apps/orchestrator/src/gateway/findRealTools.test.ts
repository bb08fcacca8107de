import { expect, test } from 'vitest';

import { realTools } from '../testing/realTools.ts';
import { toolQuestions } from '../testing/toolQuestions.ts';
import { findTools } from '../tools/findTools.ts';

/** How far down an answer a model reads with some certainty. */
const readAtMost = 5;

/** What is not found yet. A question that is found now leaves this list. */
const notFound = ['read a web page', 'how large is a file', 'combine two branches', 'remember a fact'];

test('tools of real servers are found by plain words, among the first five', () => {
  const nameOf = ({ server, tool }: (typeof realTools)[number]): string => `${server}/${tool.name}`;
  const isFound = ([words, ...right]: (typeof toolQuestions)[number]): boolean =>
    findTools(realTools, words, readAtMost).some((one) => right.includes(nameOf(one)));
  const names = new Set(realTools.map(nameOf));
  expect(toolQuestions.flatMap(([, ...right]) => right).filter((name) => !names.has(name))).toEqual([]);
  expect(toolQuestions.filter((question) => !isFound(question)).map(([words]) => words)).toEqual(notFound);
});
