import { expect, test } from 'vitest';

import { readServers } from '../config/readServers.ts';
import { applyRecipe, serversFor } from './applyRecipe.ts';
import { recipes } from './recipes.ts';

const [recipe] = recipes;
if (recipe === undefined) throw new Error('there are no recipes');
const tool = Object.keys(recipe.tools)[0] ?? '';

const file = (baton: object) =>
  `{\n  // mine\n  "mcpServers": { "a": { "command": "npx", "args": ["-y", "${recipe.knownBy[0]}"], "baton": ${JSON.stringify(baton)} } }\n}\n`;

test('A server of the file is known by what it starts', () => {
  expect(serversFor(recipe, file({}))).toEqual(['a']);
  expect(serversFor(recipe, '{ "mcpServers": { "a": { "command": "other" } } }')).toEqual([]);
});

test('A recipe is put beside what the file says, and comments stay', () => {
  const applied = applyRecipe(recipe, file({ concurrency: 4, tools: 'warn' }), 'a');
  expect(applied?.text).toContain('// mine');
  const { config, findings } = readServers(applied?.text ?? '');
  expect(findings).toEqual([]);
  expect(config.servers.get('a')?.policy).toMatchObject({ concurrency: 4, tools: 'warn' });
  expect(Object.keys(config.servers.get('a')?.policy.declarations ?? {})).toEqual(Object.keys(recipe.tools));
});

test('What the file declares itself stays as it is', () => {
  const own = { [tool]: { effect: 'write' } };
  const applied = applyRecipe(recipe, file({ tools: own }), 'a');
  expect(applied?.kept).toEqual([tool]);
  expect(readServers(applied?.text ?? '').config.servers.get('a')?.policy.declarations).not.toHaveProperty(tool);
});

test('A server that the file does not have gets no recipe', () => {
  expect(applyRecipe(recipe, file({}), 'b')).toBe(undefined);
});

test.each(recipes)('The recipe $name is what `mcp.json` may hold', ({ tools }) => {
  const text = JSON.stringify({ mcpServers: { a: { command: 'x', baton: { tools } } } });
  expect(readServers(text).findings).toEqual([]);
});
