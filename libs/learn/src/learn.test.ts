import type { RunEvent } from '@baton/engine';
import { checkWorkflow } from '@baton/language';
import type { Json, JsonObject } from '@baton/primitives';
import { describe, expect, test } from 'vitest';

import type { Learned } from './draft.ts';
import { type LearnOptions, learn } from './learn.ts';
import { type SeenCall, seenRun } from './seenCall.ts';

type SeenAnswer = readonly [name: string, given: JsonObject, answer: Json, effect?: SeenCall['effect']];

const asResult = (answer: Json): JsonObject =>
  typeof answer === 'string'
    ? { content: [{ type: 'text', text: answer }] }
    : { content: [], structuredContent: answer };

const failing = Symbol('failing');

const callsOf = (told: readonly (SeenAnswer | readonly [string, JsonObject, typeof failing])[]): SeenCall[] =>
  told.map(([name, given, answer, effect], at) => ({
    path: `${name}-${at + 1}`,
    verb: 'tool',
    server: 's',
    name,
    arguments: given,
    effect: effect ?? (/^(get|list|read|search)/.test(name) ? 'read' : 'write'),
    ...(answer === failing ? { failure: { code: 'tool-failed', message: 'No.' } } : { result: asResult(answer) }),
  }));

type Calls = Parameters<typeof callsOf>[0];
type Texts = readonly string[];

function learned(told: Calls, options: LearnOptions = {}, inputs: JsonObject = {}, modelTexts?: Texts): Learned {
  const found = learn({ calls: callsOf(told), inputs, startedAt: 0, ...(modelTexts && { modelTexts }) }, options);
  if (found === undefined) throw new Error('nothing was learned');
  return found;
}

/** Learned, proven, and without an error of the checker. */
function proven(told: Calls, options: LearnOptions = {}, inputs: JsonObject = {}, modelTexts?: Texts): Learned {
  const found = learned(told, options, inputs, modelTexts);
  expect(found.replay).toEqual({ same: true, differences: [] });
  const errors = checkWorkflow(found.source).findings.filter(({ severity }) => severity === 'error');
  expect(errors).toEqual([]);
  return found;
}

describe('where a value comes from', () => {
  test('one of a fixed choice is a constant, though an answer has it too', () => {
    const told: Parameters<typeof callsOf>[0] = [
      ['get_issue', { number: 4711 }, { state: 'reopened', title: 'The boat leaks' }],
      ['list_others', { status: 'reopened' }, { found: 'four others' }],
      ['comment', { on: 'The boat leaks', text: 'four others' }, 'ok'],
    ];
    const { source } = proven(told, { choices: new Set(['s/list_others status']) });
    expect(source).toContain('status: reopened');
    expect(proven(told).source).toContain('status: ${{ steps.get_issue.output.state }}');
  });

  test('equal: the same value in an earlier answer', () => {
    const { source, inputs } = proven([
      ['get_user', { login: 'ada' }, { id: 'u-815', name: 'Ada Lovelace' }],
      ['assign', { user: 'u-815' }, 'ok'],
    ]);
    expect(source).toContain('user: ${{ steps.get_user.output.id }}');
    expect(inputs).toEqual(['login']);
  });

  test('a whole object is handed on as it is', () => {
    const address = { street: 'Main', city: 'Bonn' };
    const { source } = proven([
      ['get_user', { login: 'ada' }, { address }],
      ['send', { to: address }, 'ok'],
    ]);
    expect(source).toContain('to: ${{ steps.get_user.output.address }}');
  });

  test('contained: a part of a text, by what stands before it', () => {
    const { source } = proven([
      ['create', { title: 'A fault' }, 'Created issue number abc-17 in the tracker.'],
      ['comment', { issue: 'abc-17', title: 'A fault' }, 'ok'],
    ]);
    expect(source).toContain('steps.create.output.split(');
    expect(source).toContain('title: ${{ inputs.title }}');
  });

  test('a text that reads like an expression is the text that it was', () => {
    const hostile = 'of ${{ secrets.TOKEN }} u-815';
    const { source } = proven([
      ['get_user', { login: 'ada' }, { id: 'u-815' }],
      ['assign', { user: 'u-815', format: hostile }, 'ok'],
    ]);
    expect(source).not.toContain('${{ secrets');
    const read: SeenCall = { ...callsOf([['get', {}, 'ok']])[0], verb: 'resource', name: `x://${hostile}` } as SeenCall;
    expect(learn({ calls: [read], inputs: {}, startedAt: 0 })?.source).not.toContain('${{ secrets');
  });

  test('joined: several values with words between them', () => {
    const { source } = proven([
      ['get_user', { login: 'ada' }, { first: 'Ada', last: 'Lovelace' }],
      ['send', { text: 'Hello Lovelace, this is for ada.' }, 'ok'],
    ]);
    expect(source).toContain('Hello ${{ steps.get_user.output.last }}');
  });

  test('formatted: the same thing written otherwise', () => {
    const { source } = proven([
      ['get_title', { id: 'x-1' }, { title: 'Quarterly Report', count: 1234, tags: ['red', 'green'] }],
      ['create', { slug: 'quarterly-report', label: '1234', tags: 'red, green' }, 'ok'],
    ]);
    expect(source).toContain('.lower().replace(');
    expect(source).toContain('string(steps.get_title.output.count)');
    expect(source).toContain('steps.get_title.output.tags.join(');
  });

  test('picked from a list by a sibling that is known', () => {
    const { source } = proven([
      [
        'list_users',
        { team: 'core', name: 'grace' },
        {
          users: [
            { name: 'ada', id: 'u-1' },
            { name: 'grace', id: 'u-2' },
          ],
        },
      ],
      ['assign', { user: 'u-2' }, 'ok'],
    ]);
    expect(source).toContain('.filter(x, x.name == inputs.name)[0].id');
  });

  test('picked by an index, with a note, where no sibling tells', () => {
    const { source, notes } = proven([
      ['list_users', {}, { users: [{ id: 'u-1' }, { id: 'u-2' }] }],
      ['assign', { user: 'u-2' }, 'ok'],
    ]);
    expect(source).toContain('steps.list_users.output.users[1].id');
    expect(notes.map(({ note }) => note).join()).toContain('picked by its place in the list');
  });

  test('of several origins the nearest, a note, and a question', () => {
    const told: SeenAnswer[] = [
      ['get_a', { a: 'one' }, { id: 'shared-7', own: 'from-a' }],
      ['get_b', { b: 'from-a' }, { id: 'shared-7', more: 'from-b' }],
      ['assign', { id: 'shared-7', more: 'from-b' }, 'ok'],
    ];
    const { source, questions } = proven(told);
    expect(source).toContain('id: ${{ steps.get_b.output.id }}');
    expect(source).toContain('# id: also in steps.get_a.output.id');
    const question = questions.find(({ options }) => options.length === 2 && options[0]?.includes('get_b'));
    const other = proven(told, { answers: new Map([[question?.id ?? '', 1]]) });
    expect(other.source).toContain('id: ${{ steps.get_a.output.id }}');
  });

  test('A value does not come from a short one that is spelled like it by chance', () => {
    const { source, inputs } = proven([
      ['get_issue', { of: 'tracker' }, { count: 10, title: 'A fault' }],
      ['assign', { shelf: '10', title: 'A fault' }, 'ok'],
    ]);
    expect(source).not.toContain('output.count');
    expect(inputs).toContain('shelf');
  });

  test('an input of the run that it is learned from', () => {
    const { source, inputs } = proven([['send', { to: 'ada@example.com' }, 'ok']], {}, { who: 'ada@example.com' });
    expect(source).toContain('to: ${{ inputs.who }}');
    expect(inputs).toEqual(['who']);
  });
});

describe('a value without an origin', () => {
  test('is an input with a name, a type and what was seen as default', () => {
    const { source, inputs } = proven([
      ['search', { query: 'open faults', since: 20_240_101 }, { hits: 3 }],
      ['send', { to: 'ops@example.com', hits: 3 }, 'ok'],
    ]);
    expect(inputs).toEqual(['query', 'since', 'to']);
    expect(source).toContain('default: open faults');
    expect(source).toMatch(/since:\n\s+type: integer\n\s+default: 20240101/);
  });

  test('is one input, however often it is used', () => {
    const { inputs } = proven([
      ['write', { path: '/tmp/a.txt' }, 'ok'],
      ['close', { path: '/tmp/a.txt' }, 'ok'],
    ]);
    expect(inputs).toEqual(['path']);
  });

  test('is a constant if it configures the tool, or is in the configuration', () => {
    const { source, inputs } = proven([['write', { mode: 'append', root: '/data', force: true, limit: 50 }, 'ok']], {
      constants: ['/data'],
    });
    expect(inputs).toEqual([]);
    expect(source).toContain('root: /data');
    expect(source).toContain('limit: 50');
  });
});

describe('what is left out', () => {
  test('a call that failed, and was then repeated successfully', () => {
    const { leftOut, source } = proven([
      ['write', { path: 'wrong' }, failing],
      ['write', { path: '/right' }, 'ok'],
    ]);
    expect(leftOut).toEqual([
      { path: 'write-1', why: 'it failed (tool-failed), and was then made with other arguments as write-2' },
    ]);
    expect(source).not.toContain('wrong');
  });

  test('look-ups whose answer goes nowhere, also those that only such a look-up reads', () => {
    const { leftOut } = proven([
      ['get_root', { name: 'home' }, { id: 'root-1' }],
      ['list_children', { of: 'root-1' }, { names: ['a'] }],
      ['write', { path: '/x' }, 'ok'],
    ]);
    expect(leftOut.map(({ path }) => path)).toEqual(['get_root-1', 'list_children-2']);
  });

  test('a look-up that is repeated with the same answer, and no write', () => {
    const { leftOut, source } = proven([
      ['get_user', { login: 'ada' }, { id: 'u-1-a' }],
      ['get_user', { login: 'ada' }, { id: 'u-1-a' }],
      ['assign', { user: 'u-1-a' }, 'ok'],
      ['assign', { user: 'u-1-a' }, 'ok'],
    ]);
    expect(leftOut.map(({ path }) => path)).toEqual(['get_user-2']);
    expect(source.match(/tool: s\/assign/g)).toHaveLength(2);
  });

  test('not the last look-up of a session that only reads', () => {
    const { source } = proven([['get_user', { login: 'ada' }, { id: 'u-1' }]]);
    expect(source).toContain('result: ${{ steps.get_user.output }}');
  });
});

describe('the same call over a list', () => {
  const items = [
    { id: 'i-10', state: 'open', size: 10 },
    { id: 'i-11', state: 'closed', size: 200 },
    { id: 'i-12', state: 'open', size: 30 },
  ];

  test('is a forEach over all of it', () => {
    const { source } = proven([
      ['list_issues', { repo: 'baton' }, { issues: items }],
      ...items.map(({ id }): SeenAnswer => ['close', { issue: id }, 'ok']),
    ]);
    expect(source).toContain('forEach: ${{ steps.list_issues.output.issues }}');
    expect(source).toContain('issue: ${{ item.id }}');
  });

  test('with the condition that explains which items were taken', () => {
    const taken = items.filter(({ state }) => state === 'open');
    const { source } = proven([
      ['list_issues', { repo: 'baton' }, { issues: items }],
      ...taken.map(({ id }): SeenAnswer => ['close', { issue: id }, 'ok']),
    ]);
    expect(source).toContain('.filter(x, x.state == "open")');
  });

  test('with several calls for each item, which read each other', () => {
    const { source } = proven([
      ['list_issues', { repo: 'baton' }, { issues: items }],
      ...items.flatMap(({ id }): SeenAnswer[] => [
        ['get_issue', { issue: id }, { author: `author-of-${id}` }],
        ['notify', { user: `author-of-${id}`, about: id }, 'ok'],
      ]),
    ]);
    expect(source).toContain('user: ${{ steps.get_issue.output.author }}');
    expect(source.match(/forEach/g)).toHaveLength(1);
  });

  test('over the lines of a text', () => {
    const listing = '[DIR] old\n[FILE] a.md\n[FILE] b.md\n[FILE] c.txt';
    const { source } = proven([
      ['list_directory', { path: '/data' }, listing],
      ['read', { path: '/data/a.md' }, 'Alpha went well'],
      ['read', { path: '/data/b.md' }, 'Beta is late'],
      ['write', { path: '/data/all.txt', content: 'Alpha went well\nBeta is late' }, 'ok'],
    ]);
    expect(source).toContain('.filter(x, x.endsWith(".md"))');
    expect(source).toContain('content: ${{ steps.each_read.output.join("\\n") }}');
    expect(source).toContain('path: ${{ inputs.path }}/${{ item.split("[FILE] ")[1] }}');
  });

  test('whose answers a second loop goes through', () => {
    const { source } = proven([
      ['list_issues', { repo: 'baton' }, { issues: items }],
      ...items.map(({ id }): SeenAnswer => ['get_issue', { issue: id }, { mail: `${id}@example.com` }]),
      ...items.map(({ id }): SeenAnswer => ['send', { to: `${id}@example.com` }, 'ok']),
    ]);
    expect(source).toContain('forEach: ${{ steps.each_get_issue.output }}');
    expect(source).toContain('to: ${{ item.mail }}');
  });

  test('is an input where nothing explains which items were taken', () => {
    const list = ['kilo', 'lima', 'mike', 'nova', 'oscar'].map((name) => ({ name }));
    const { source, inputs, notes } = proven([
      ['list_names', {}, { names: list }],
      ['send', { to: 'lima' }, 'ok'],
      ['send', { to: 'oscar' }, 'ok'],
    ]);
    expect(inputs).toContain('items');
    expect(source).toContain('forEach: ${{ inputs.items }}');
    expect(notes.map(({ note }) => note).join()).toContain('nothing explains');
  });
});

test('look-ups that do not read each other are made at once', () => {
  const { source } = proven([
    ['get_user', { login: 'ada' }, { id: 'u-77' }],
    ['get_team', { slug: 'core' }, { id: 't-88' }],
    ['add_member', { user: 'u-77', team: 't-88' }, 'ok'],
  ]);
  expect(source).toMatch(/parallel:\n\s+- id: get_user/);
});

describe('a text that only a model can have written', () => {
  const text =
    'The build has failed three times since Monday because the disk of runner seven is full. Somebody should look.';
  const told: SeenAnswer[] = [
    ['get_log', { job: 'nightly' }, 'runner seven: disk full\nrunner seven: disk full\nbuild failed'],
    ['post', { channel: 'ops', message: text }, 'ok'],
  ];

  test('is a sample with a typed output, marked for review', () => {
    const { source } = proven(told);
    expect(source).toContain('# look: a model wrote this text');
    expect(source).toContain('message: ${{ steps.compose_message.output.message }}');
    expect(source).toContain('${{ steps.get_log.output }}');
  });

  test('is an input where a person says so', () => {
    const question = learned(told).questions.find(({ id }) => id.endsWith('text'));
    const { source, inputs } = proven(told, { answers: new Map([[question?.id ?? '', 1]]) });
    expect(inputs).toContain('message');
    expect(source).not.toContain('sample');
  });
});

describe('fixed words around a text that is known', () => {
  const note = 'Welcome aboard. The first watch begins at eight, and the cook wants to know who eats what.\n';
  const around = (text: string): SeenAnswer[] => [
    ['read_note', { name: 'welcome.md' }, note],
    ['write_note', { name: 'remembered.md', text }, 'ok'],
  ];

  test.each([
    ['its line end', `Remember: ${note}`, 'Remember: ${{ steps.read_note.output }}'],
    ['no line end', `Remember: ${note.trim()} Bye.`, 'Remember: ${{ steps.read_note.output.trim() }} Bye.'],
  ])('are a template, with %s', (_what, text, template) => {
    const { source } = proven(around(text));
    expect(source).toContain(template);
    expect(source).not.toContain('sample');
  });

  test('stay words, though they read like an expression', () => {
    const { source } = proven(around(`Of \${{ secrets.TOKEN }}: ${note}`));
    expect(source).toContain('${{ steps.read_note.output }}');
    expect(source).not.toContain('${{ secrets');
  });

  const words = `For adelheid, who came to us last week from the northern office, in the hope of a calmer desk there.`;

  test('are a template in the run of a workflow, however many they are: no model was there', () => {
    const told: SeenAnswer[] = [
      ['get_user', { id: 'u-1' }, { login: 'adelheid' }],
      ['post', { message: words }, 'ok'],
    ];
    expect(proven(told).source).toContain('a model wrote this text in the session');
    const { source } = proven(told, {}, {}, []);
    expect(source).toContain('message: For ${{ steps.get_user.output.login }}, who came');
    expect(source).toContain('title: Learned from a run');
  });

  test('are a model’s in the run of a workflow where one wrote them', () => {
    const told: SeenAnswer[] = [
      ['get_log', { job: 'nightly' }, 'the northern office moved last week'],
      ['post', { message: words }, 'ok'],
    ];
    expect(proven(told, {}, {}, [words]).source).toContain('a model wrote this text in the run');
    expect(proven(told, {}, {}, []).inputs).toContain('message');
  });

  test('what models wrote is in the journal of a run, and not in that of a session', () => {
    const kept = { at: 0, mode: 'live' };
    const journal = (kind: string): RunEvent[] =>
      [
        { type: 'run.requested', trigger: { kind }, inputs: { json: {} } },
        { type: 'step.started', path: 'ask', call: { verb: 'sample', request: { json: {} } } },
        { type: 'step.succeeded', path: 'ask', value: { json: { output: { tone: 'calm', mail: `${words}\n` } } } },
      ].map((event) => ({ ...kept, ...event }) as unknown as RunEvent);
    expect(seenRun(journal('api'), () => null).modelTexts).toEqual([words]);
    expect(seenRun(journal('session'), () => null).modelTexts).toBeUndefined();
  });
});

test('a difference in the replay is reported at its place', () => {
  const { source } = proven([['write', { path: '/x' }, 'ok']]);
  expect(source).toContain('path: ${{ inputs.path }}');
  expect(learn({ calls: callsOf([['write', { path: 'x' }, failing]]), inputs: {}, startedAt: 0 })).toBeUndefined();
});

describe('a session that ends by reading what it had written', () => {
  test('A learned workflow ensures what the last read showed, and says that a person should look at it.', () => {
    const { source, leftOut, notes, questions } = proven([
      ['add_label', { issue: 17, label: 'urgent' }, 'ok'],
      ['get_issue', { issue: 17 }, { title: 'The boat leaks', labels: ['wet', 'urgent'] }],
    ]);
    expect(source).toContain(`ensure:
  - tool: s/get_issue
    effect: read
    with:
      issue: \${{ inputs.issue }}
    that: result.output.labels.exists(x, x == inputs.label)
`);
    expect([leftOut, notes.map(({ step }) => step)]).toEqual([[], ['ensure']]);
    expect(source).toMatch(/^# look: .*\nensure:$/m);
    expect(questions.map(({ id }) => id)).toContain('get_issue-2 ensured');
  });

  test.each([
    [{ title: 'The boat leaks', state: 'open' }, 'result.output.title == inputs.title'],
    [{ items: [{ name: 'The boat leaks' }] }, 'result.output.items.exists(x, x.name == inputs.title)'],
    ['Issue 3: The boat leaks (open)', 'result.output.contains(inputs.title)'],
  ])('An answer of %j becomes a condition.', (answer, condition) => {
    const { source } = proven([
      ['create', { title: 'The boat leaks' }, 'created'],
      ['get_last', {}, answer],
    ]);
    expect(source).toContain(`that: ${condition}`);
  });

  test('A read that shows nothing of what was written is left out, and so is one that a person does not want.', () => {
    const told: Calls = [
      ['create', { title: 'The boat leaks' }, 'created'],
      ['get_weather', {}, { sky: 'clear' }],
    ];
    expect(proven(told).source).not.toContain('ensure');
    const seen: Calls = [
      ['create', { title: 'The boat leaks' }, 'created'],
      ['get_last', {}, { title: 'The boat leaks' }],
    ];
    const { source, leftOut } = proven(seen, { answers: new Map([['get_last-2 ensured', 1]]) });
    expect(source).not.toContain('ensure');
    expect(leftOut).toMatchObject([{ path: 'get_last-2' }]);
  });
});
