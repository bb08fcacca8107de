/** Recorded sessions of agents with real servers (`tests/learn/agents.ts`): each is learned, proven, and changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Json } from '@baton/language';
import { checkWorkflow, parseWorkflow } from '@baton/language';
import { expect, test } from 'vitest';

import type { Learned } from './draft.ts';
import { learn } from './learn.ts';
import { callsMade } from './prove.ts';
import type { SeenRun } from './seenCall.ts';

const folder = new URL('../recordings/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace('.json', ''));

const recorded = (name: string): SeenRun =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as SeenRun;

function learned(name: string): Learned {
  const found = learn(recorded(name), { name });
  if (found === undefined) throw new Error(`nothing was learned from ${name}`);
  return found;
}

test.each(names)('the session %s is learned, and makes the same calls', (name) => {
  const { source, replay } = learned(name);
  expect({ replay, source }).toEqual({ replay: { same: true, differences: [] }, source });
  const { findings } = checkWorkflow(source);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

/** What a careful person would have made of them: inputs, and the forms that the workflow has. */
const wanted: Readonly<Record<string, { readonly inputs: readonly string[]; readonly has: readonly string[] }>> = {
  'collect-notes': { inputs: ['path', 'write_file_path'], has: ['forEach', 'endsWith(".md")', '.join('] },
  'back-up-settings': {
    inputs: ['path', 'write_file_path'],
    has: ['content: ${{ steps.read_text_file.output.content }}'],
  },
  'archive-logs': { inputs: ['path', 'create_directory_path'], has: ['forEach', 'endsWith(".log")'] },
  'index-notes': {
    inputs: ['path', 'pattern'],
    has: ['content: ${{ steps.search_files.output.content }}'],
  },
  'remember-people': { inputs: ['path'], has: ['forEach: ${{ fromJson(', 'name: ${{ item.name }}'] },
  'weather-by-echo': { inputs: ['location'], has: ['output.temperature', 'output.conditions'] },
  sums: { inputs: ['a', 'b', 'get_sum_b'], has: ['steps.get_sum.output'] },
  'greet-every-person': { inputs: ['entities'], has: ['.filter(x, x.entityType == "person")', 'item.name'] },
  'find-after-a-mistake': {
    inputs: ['path', 'write_file_path'],
    has: ['content: ${{ steps.read_text_file.output.content }}'],
  },
  'look-around-first': { inputs: ['path', 'content'], has: ['create_directory', 'write_file'] },
  'relate-people': { inputs: ['entities', 'query'], has: ['forEach', 'from: ${{ item.name }}'] },
  'rename-texts': { inputs: ['path'], has: ['forEach', '.split(".")[0] }}.md'] },
  'summarize-notes': { inputs: ['path'], has: ['sample', '# look: a model wrote this text'] },
  'list-sizes': { inputs: ['path'], has: ['forEach', '.join('] },
  'notes-into-memory': { inputs: ['entities'], has: ['forEach', 'item.name'] },
};

test.each(names)('what is learned from %s has the form that a careful person would give it', (name) => {
  const { source, inputs } = learned(name);
  const { inputs: least = [], has = [] } = wanted[name] ?? {};
  expect(inputs).toEqual(expect.arrayContaining([...least]));
  for (const form of has) expect(source).toContain(form);
});

const changed = (value: Json): Json =>
  typeof value === 'string' ? `${value}-changed` : typeof value === 'number' ? value + 1 : value;

/** As it stands within the JSON of a text. */
const textOf = (value: Json): string =>
  typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value);

/** Calls that change with an input otherwise than in the place of that input. */
function wronglyChanged(name: string): readonly string[] {
  const run = recorded(name);
  const { source, inputs, samples } = learned(name);
  const { workflow } = parseWorkflow(source);
  if (workflow === undefined) throw new Error('what was learned does not parse');
  return inputs.flatMap((input) => {
    const before = (workflow.inputs as Record<string, { default?: Json }>)[input]?.default ?? null;
    const now = changed(before);
    if (now === before) return [];
    return callsMade(workflow, run.calls, samples, { [input]: now }).flatMap(({ path, seen, made }) => {
      const [was, is] = [JSON.stringify(seen), JSON.stringify(made)];
      // Put back what the input was, and it is the call of the session again.
      return was === is || is.replaceAll(textOf(now), textOf(before)) === was ? [] : [`${input}: ${path}`];
    });
  });
}

test.each(names)('with another input only the calls change that depend on it: %s', (name) => {
  expect(wronglyChanged(name)).toEqual([]);
});

const heads = ['session', 'calls', 'left out', 'made again the same', 'inputs', 'of these a person’s', 'wrong origins'];

/** An origin is wrong where a person would have written another, or where a call changes with a foreign input. */
function rowOf(name: string): string {
  const { calls } = recorded(name);
  const { source, inputs, leftOut, replay } = learned(name);
  const { inputs: least = [], has = [] } = wanted[name] ?? {};
  const found = least.filter((input) => inputs.includes(input)).length;
  const wrong = has.filter((form) => !source.includes(form)).length + wronglyChanged(name).length;
  const kept = calls.length - leftOut.length;
  const again = kept - replay.differences.length;
  return `| ${[name, calls.length, leftOut.length, `${again} of ${kept}`, inputs.length, `${found} of ${least.length}`, wrong].join(' | ')} |`;
}

test('the table in docs/reference/learned-sessions.md says how well each is learned', async () => {
  const page = [
    '# Sessions and what is learned from them',
    '',
    'Made by `libs/learn/src/recordings.test.ts`; `npx vitest run --update=all --project unit libs/learn` writes it anew. [Learning](../learning.md) says what the sessions are. “Made again the same”: calls of the session that the workflow makes with the same arguments. “A person’s”: inputs that a careful person would have given the workflow. “Wrong origins”: values that a careful person would have taken from elsewhere, and calls that change with an input that they do not depend on.',
    '',
    `| ${heads.join(' | ')} |`,
    `| ${heads.map(() => '---').join(' | ')} |`,
    ...names.toSorted().map(rowOf),
    '',
  ].join('\n');
  const file = fileURLToPath(new URL('../../../docs/reference/learned-sessions.md', import.meta.url));
  await expect(page).toMatchFileSnapshot(file);
});
