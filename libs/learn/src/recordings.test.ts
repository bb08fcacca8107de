/** Recorded sessions of agents with real servers (`tests/learn/agents.ts`): each is learned, proven, and changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { type Workflow, checkWorkflow, parseWorkflow } from '@baton/language';
import { type Json, type JsonObject, isObject } from '@baton/primitives';
import { expect, test } from 'vitest';

import type { Learned } from './draft.ts';
import { learn } from './learn.ts';
import { type ChangedCall, callsMade, prove } from './prove.ts';
import type { SeenCall, SeenRun } from './seenCall.ts';

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

function changed(value: Json): Json {
  if (typeof value === 'string') return `${value}-changed`;
  return typeof value === 'number' ? value + 1 : value;
}

/** As it stands within the JSON of a text. */
const textOf = (value: Json): string =>
  typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : JSON.stringify(value);

/** Calls that change with an input otherwise than in the place of that input. */
function wronglyChanged(name: string): readonly string[] {
  const run = recorded(name);
  const { source, inputs, samples, values } = learned(name);
  const { workflow } = parseWorkflow(source);
  if (workflow === undefined) throw new Error('what was learned does not parse');
  return inputs.flatMap((input) => {
    const before = values[input] ?? null;
    const now = changed(before);
    if (now === before) return [];
    return callsMade(workflow, run.calls, samples, { values, inputs: { [input]: now } }).flatMap(
      ({ path, seen, made }) => {
        const [was, is] = [JSON.stringify(seen), JSON.stringify(made)];
        // Put back what the input was, and it is the call of the session again.
        return was === is || is.replaceAll(textOf(now), textOf(before)) === was ? [] : [`${input}: ${path}`];
      },
    );
  });
}

test.each(names)('with another input only the calls change that depend on it: %s', (name) => {
  expect(wronglyChanged(name)).toEqual([]);
});

const careful = (name: string): Workflow =>
  workflowIn(readFileSync(new URL(`../careful/${name}.workflow.yaml`, import.meta.url), 'utf8'));

function workflowIn(source: string): Workflow {
  const { workflow } = parseWorkflow(source);
  if (workflow === undefined) throw new Error('it does not parse');
  return workflow;
}

/** Every text, number and name in it is another, and lists are as long as before. */
function disturbed(value: Json, key = ''): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => disturbed(item, key));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, disturbed(one, name)]));
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string' || key === 'type') return value;
  if (/^\s*[[{]/.test(value) && !value.startsWith('[FILE]'))
    return JSON.stringify(disturbed(JSON.parse(value) as Json));
  // Before the ending of a file's name.
  return value
    .split('\n')
    .map((line) => line.replace(/(?=\.[^.]*$)|$/, '~'))
    .join('\n');
}

/** For each call of the session those that are not made, or made otherwise, where its answer is another. */
function dependents(
  workflow: Workflow,
  calls: readonly SeenCall[],
  { samples, values }: Pick<Learned, 'samples' | 'values'>,
): object {
  return Object.fromEntries(
    calls.map((changed) => {
      const made = callsMade(workflow, calls, samples, {
        values,
        answer: (call) => (call === changed ? (disturbed(call.result ?? {}) as JsonObject) : undefined),
      });
      const isSame = ({ seen, made: now }: ChangedCall): boolean => JSON.stringify(seen) === JSON.stringify(now);
      const same = new Set(made.filter(isSame).map(({ of }) => of));
      return [changed.path, calls.map(({ path }) => path).filter((path) => path !== changed.path && !same.has(path))];
    }),
  );
}

/** Values that the person can change. */
const defaultsOf = ({ inputs = {} }: Workflow): readonly string[] =>
  Object.values(inputs as Record<string, { default?: Json }>).map((schema) => JSON.stringify(schema.default));

/** What stays a part of a longer text, where a person would have made an input of it. */
const inTexts: Readonly<Record<string, readonly string[]>> = {
  'index-notes': ['"/data/index.txt"'],
  'notes-into-memory': ['"/data/notes"'],
};

/** Inputs of the careful person's workflow that the learned one has not, by their defaults. */
function missingIn(name: string): readonly string[] {
  const found = new Set(Object.values(learned(name).values).map((value) => JSON.stringify(value)));
  return defaultsOf(careful(name)).filter((one) => !found.has(one));
}

test.each(names)(
  '%s: the workflow of a careful person makes the same calls, and none depends on more or less',
  (name) => {
    const { source, leftOut, ...seen } = learned(name);
    const isLeftOut = new Set(leftOut.map(({ path }) => path));
    const calls = recorded(name).calls.filter(({ path }) => !isLeftOut.has(path));
    const own = careful(name);
    expect(prove(own, calls, seen.samples)).toEqual({ same: true, differences: [] });
    const expected = dependents(own, calls, { ...seen, values: {} });
    expect(dependents(workflowIn(source), calls, seen)).toEqual(expected);
    expect(missingIn(name)).toEqual(inTexts[name] ?? []);
  },
);

const heads = [
  'session',
  'calls',
  'left out',
  'made again the same',
  'inputs',
  'of these a person’s',
  'wrong origins',
  'asked or marked',
];

/** An origin is wrong where a person would have written another, or where a call changes with a foreign input. */
function rowOf(name: string): string {
  const { calls } = recorded(name);
  const { source, inputs, leftOut, replay, questions, notes } = learned(name);
  const { has = [] } = wanted[name] ?? {};
  const all = defaultsOf(careful(name)).length;
  const found = all - missingIn(name).length;
  const wrong = has.filter((form) => !source.includes(form)).length + wronglyChanged(name).length;
  const kept = calls.length - leftOut.length;
  const again = kept - replay.differences.length;
  const looks = notes.filter(({ note }) => note.startsWith('look:')).length;
  const doubts = questions.filter(({ options }) => options.length > 1).length + looks;
  return `| ${[name, calls.length, leftOut.length, `${again} of ${kept}`, inputs.length, `${found} of ${all}`, wrong, doubts].join(' | ')} |`;
}

test('the table in docs/reference/learned-sessions.md says how well each is learned', async () => {
  const page = [
    '# Sessions and what is learned from them',
    '',
    'Made by `libs/learn/src/recordings.test.ts`; `npx vitest run --update=all --project unit libs/learn` writes it anew. [Learning](../learning.md) says what the sessions are. “Made again the same”: calls of the session that the workflow makes with the same arguments. “A person’s”: inputs of the workflow that a careful person wrote for the session (`libs/learn/careful`) that the learned one has, too. Both make the same calls, and in both the same calls depend on each answer. “Wrong origins”: values that a careful person would have taken from elsewhere, and calls that change with an input that they do not depend on. “Asked or marked”: questions, and comments that begin with `# look:`.',
    '',
    `| ${heads.join(' | ')} |`,
    `| ${heads.map(() => '---').join(' | ')} |`,
    ...names.toSorted().map(rowOf),
    '',
  ].join('\n');
  const file = fileURLToPath(new URL('../../../docs/reference/learned-sessions.md', import.meta.url));
  await expect(page).toMatchFileSnapshot(file);
});
