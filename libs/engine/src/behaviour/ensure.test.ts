/** What `ensure` reads, and how a run ends by it: by the ledger of the servers. */
import type { Json } from '@baton/primitives';
import { behaves, cancel, planOf } from '@baton/testing';
import { describe, expect, test } from 'vitest';

import { play, playOn } from '../play/play.ts';
import { carryOutcomes } from '../rerun/carriedOutcomes.ts';
import { carryToVersion } from '../rerun/carryToVersion.ts';
import { runSentence, sentenceInput } from '../say/runSentence.ts';
import { ensuredIn } from '../state/ensured.ts';
import type { RunEvent } from '../state/event.ts';
import { rowOf } from '../state/row.ts';
import { Trace } from '../state/trace.ts';

const yes = { gives: { ok: true } } as const;
const no = { gives: { ok: false } } as const;
const away = { fails: 'server-unreachable', delivery: 'unsent' } as const;
const refused = { fails: 'tool-failed' } as const;

/** One entry. `more`: further keys. */
const that = (more = '', tool = 's/r'): string => `{ tool: ${tool}, effect: read, that: result.output.ok${more} }`;

const ofRun = (more = ''): string =>
  `steps: [{ id: a, tool: s/a, undo: { tool: s/ua } }]\nensure: [${that(more)}]\nonFailure: [{ tool: s/f, with: { c: "\${{ error.code }}" } }]\noutputs: { s: "\${{ steps.a.status }}" }`;

describe('`ensure` of a run', () => {
  behaves({
    'what is true lets the run succeed': {
      file: ofRun(),
      servers: { 's/r': yes },
      outputs: { s: 'succeeded' },
      ledger: ['s/a', 's/r'],
    },
    'what is not true fails the run, which undoes and runs `onFailure`': {
      file: ofRun(),
      servers: { 's/r': no },
      ends: 'not-achieved',
      ledger: ['s/a', 's/r', 's/ua', 's/f {"c":"not-achieved"}'],
    },
    'what comes true within its time is read until then': {
      file: ofRun(', within: 1m, every: 5s'),
      servers: { 's/r': [no, no, yes] },
      ledger: ['s/a', 's/r', 's/r', 's/r'],
    },
    'what is not true at the end of its time fails, after a last read at that end': {
      file: ofRun(', within: 12s, every: 5s'),
      servers: { 's/r': no },
      ends: 'not-achieved',
      ledger: ['s/a', 's/r', 's/r', 's/r', 's/r', 's/ua', 's/f {"c":"not-achieved"}'],
    },
    'what cannot be read is a failure of its own, which undoes nothing': {
      file: ofRun(),
      servers: { 's/r': refused },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/f {"c":"not-verified"}'],
    },
    'a read is tried again as often as its `retry` says': {
      file: ofRun(', retry: { attempts: 2 }'),
      servers: { 's/r': away },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/r', 's/f {"c":"not-verified"}'],
    },
    'what cannot be read at first is read again within its time': {
      file: ofRun(', within: 1m'),
      servers: { 's/r': [refused, yes] },
      ledger: ['s/a', 's/r', 's/r'],
    },
    'an answer that the condition cannot judge is not verified': {
      file: ofRun(),
      servers: { 's/r': { gives: { other: 1 } } },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/f {"c":"not-verified"}'],
    },
    ...Object.fromEntries(
      ['"yes"', '"true"', '1', '0', 'null', '[]', '{"a":1}', '""'].map((ok) => [
        `a condition that gives ${ok} is not verified, and undoes nothing`,
        {
          file: ofRun(),
          servers: { 's/r': { gives: { ok: JSON.parse(ok) as Json } } },
          ends: 'not-verified',
          ledger: ['s/a', 's/r', 's/f {"c":"not-verified"}'],
        },
      ]),
    ),
    'a condition that gives no boolean at first is judged again within its time': {
      file: ofRun(', within: 1m'),
      servers: { 's/r': [{ gives: { ok: null } }, yes] },
      ledger: ['s/a', 's/r', 's/r'],
    },
    'a run that failed before ensures nothing': {
      file: `steps: [{ tool: s/a }, { fail: no }]\nensure: [${that()}]`,
      ends: 'workflow-failed',
      ledger: ['s/a'],
    },
    'a cancelled run ensures nothing': {
      file: `steps: [{ tool: s/a }, { wait: 1h }]\nensure: [${that()}]`,
      outside: { 1: cancel },
      ends: 'cancelled',
      ledger: ['s/a'],
    },
    'a run that is cancelled between two reads is cancelled, and undone': {
      file: ofRun(', within: 1h, every: 10m'),
      servers: { 's/r': no },
      outside: { 2: cancel },
      ends: 'cancelled',
      ledger: ['s/a', 's/r', 's/ua'],
    },
    'every entry is ensured, one after the other': {
      file: `steps: [{ tool: s/a }]\nensure: [${that()}, ${that('', 's/q')}]`,
      servers: { 's/r': yes, 's/q': no },
      ends: 'not-achieved',
      ledger: ['s/a', 's/r', 's/q'],
    },
    'a worker that dies during the read loses nothing': {
      file: ofRun(),
      servers: { 's/r': ['worker dies', yes] },
      ledger: ['s/a', 's/r', 's/r'],
    },
    'a tool of which nothing says that it only reads is not called': {
      file: 'steps: [{ tool: s/a, undo: { tool: s/ua } }]\nensure: [{ tool: s/r, that: result.output.ok }]',
      servers: { 's/r': yes },
      ends: 'not-verified',
      ledger: ['s/a'],
    },
    'what a condition reads besides `result` are the steps and the inputs': {
      file: 'inputs: { n: { type: integer } }\nsteps: [{ id: a, tool: s/a }]\nensure: [{ tool: s/r, effect: read, with: { n: "${{ inputs.n }}" }, that: result.output.n == inputs.n && steps.a.output.n == 7 }]',
      inputs: { n: 7 },
      servers: { 's/a': { gives: { n: 7 } }, 's/r': { gives: { n: 7 } } },
      ledger: ['s/a', 's/r {"n":7}'],
    },
    'a step of the author may have any id': {
      file: `steps: [{ id: ensure-1, tool: s/a }]\nensure: [${that()}]`,
      servers: { 's/r': no },
      ends: 'not-achieved',
      ledger: ['s/a', 's/r'],
    },
  });
});

describe('`ensure` of a step', () => {
  behaves({
    'is over before the next step begins': {
      file: `steps: [{ tool: s/a, ensure: [${that(', within: 1m')}] }, { tool: s/b }]`,
      servers: { 's/r': [no, yes] },
      ledger: ['s/a', 's/r', 's/r', 's/b'],
    },
    'fails the step, which is undone with its output': {
      file: `steps: [{ id: a, tool: s/a, undo: { tool: s/ua, with: { n: "\${{ steps.a.output.n }}" } }, ensure: [${that()}] }, { tool: s/b }]`,
      servers: { 's/a': { gives: { n: 7 } }, 's/r': no },
      ends: 'not-achieved',
      ledger: ['s/a', 's/r', 's/ua {"n":7}'],
    },
    'that cannot be read undoes nothing': {
      file: `steps: [{ tool: s/a, undo: { tool: s/ua }, ensure: [${that()}] }]`,
      servers: { 's/r': refused },
      ends: 'not-verified',
      ledger: ['s/a', 's/r'],
    },
    'is handled like a failure of the step': {
      file: `steps: [{ id: a, tool: s/a, ensure: [${that()}], onError: [{ match: [not-achieved], steps: [{ tool: s/h, with: { c: "\${{ error.code }}" } }] }] }, { tool: s/b, with: { s: "\${{ steps.a.status }}" } }]`,
      servers: { 's/r': no },
      ledger: ['s/a', 's/r', 's/h {"c":"not-achieved"}', 's/b {"s":"failed"}'],
    },
    'is ignored with `onError: ignore`': {
      file: `steps: [{ id: a, tool: s/a, ensure: [${that()}], onError: ignore }, { tool: s/b, with: { c: "\${{ steps.a.error.code }}" } }]`,
      servers: { 's/r': no },
      ledger: ['s/a', 's/r', 's/b {"c":"not-achieved"}'],
    },
    'reads nothing where the step is skipped or fails': {
      file: `steps: [{ if: 1 > 2, tool: s/a, ensure: [${that()}] }, { tool: s/b, onError: ignore, ensure: [${that()}] }]`,
      servers: { 's/b': refused },
      ledger: ['s/b'],
    },
    'decides a race: the first that succeeded and is ensured wins': {
      file: `steps: [{ id: p, parallel: [{ id: a, tool: s/a, ensure: [${that(', within: 1m')}] }, { id: b, tool: s/b }], until: first }]\noutputs: { f: "\${{ steps.p.first }}" }`,
      servers: { 's/r': no, 's/b': { gives: {}, takesMs: 100 } },
      outputs: { f: 'b' },
      ledger: ['s/a', 's/b', 's/r'],
    },
    'is ensured before a step that needs it begins': {
      file: `steps: [{ parallel: [{ id: a, tool: s/a, ensure: [${that(', within: 1m')}] }, { needs: [a], tool: s/b }] }]`,
      servers: { 's/r': [no, yes] },
      ledger: ['s/a', 's/r', 's/r', 's/b'],
    },
    'belongs to each item of a `forEach`': {
      file: `steps: [{ forEach: [1, 2], maxParallel: 1, onItemError: collect, steps: [{ tool: s/a, ensure: [${that()}] }] }]`,
      servers: { 's/r': [no, yes] },
      ledger: ['s/a', 's/r', 's/a', 's/r'],
    },
  });
});

describe('`ensure` of a group', () => {
  behaves({
    'comes after the steps of the group and before its `finally`': {
      file: `steps: [{ steps: [{ tool: s/a }], ensure: [${that()}], finally: [{ tool: s/l }] }, { tool: s/b }]`,
      servers: { 's/r': yes },
      ledger: ['s/a', 's/r', 's/l', 's/b'],
    },
    'fails the group, whose `onError` handles it': {
      file: `steps: [{ steps: [{ tool: s/a }], ensure: [${that()}], onError: [{ tool: s/h }] }, { tool: s/b }]`,
      servers: { 's/r': no },
      ledger: ['s/a', 's/r', 's/h', 's/b'],
    },
    'counts towards its `timeout`, and is not verified when that is over': {
      file: `steps: [{ steps: [{ tool: s/a }], timeout: 30s, ensure: [${that(', within: 1h, every: 20s')}] }]`,
      servers: { 's/r': no },
      ends: 'not-verified',
      ledger: ['s/a', 's/r', 's/r'],
    },
  });
});

describe('`ensure` and child runs', () => {
  const parent = 'steps: [{ tool: s/a, undo: { tool: s/ua } }, { workflow: child }]';
  const ended = (code: string) => () => ({ status: 'failed' as const, failure: { code, message: 'No.' } });
  behaves({
    'a child run that did not achieve its promise fails its parent, which undoes': {
      file: parent,
      child: ended('not-achieved'),
      ends: 'child-failed',
      ledger: ['s/a', 's/ua'],
    },
    'a child run that could not verify its promise undoes nothing in its parent': {
      file: parent,
      child: ended('not-verified'),
      ends: 'not-verified',
      ledger: ['s/a'],
    },
    'a workflow that reads gives the result': {
      file: 'steps: [{ tool: s/a }]\nensure: [{ workflow: looks, with: { n: 1 }, that: result.output.ok }]',
      child: () => ({ ok: true }),
      ledger: ['s/a'],
    },
    'a workflow that reads something else fails the run': {
      file: 'steps: [{ tool: s/a }]\nensure: [{ workflow: looks, that: result.output.ok }]',
      child: () => ({ ok: false }),
      ends: 'not-achieved',
      ledger: ['s/a'],
    },
  });
});

test('The message of a child run that could not verify its promise is said once, with the runs in between.', () => {
  const message = 'Whether `ok` is true is not known (timeout): No. Nothing was undone for that.';
  const once = play(planOf(`workflow: w\nsteps: [{ workflow: child }]`), {
    child: () => ({ status: 'failed', failure: { code: 'not-verified', message } }),
  });
  const first = rowOf(once.run).failure;
  expect(first).toMatchObject({ code: 'not-verified', message: `${message} By way of: the child run child failed.` });
  const twice = play(planOf(`workflow: w\nsteps: [{ workflow: child }]`), {
    child: () => ({ status: 'failed', failure: { code: 'not-verified', message: first?.message ?? '' } }),
  });
  expect(rowOf(twice.run).failure?.message).toBe(
    `${message} By way of: the child run child failed, the child run child failed.`,
  );
});

const plan = planOf(`workflow: w\n${ofRun(', within: 1m')}`);
const text = (ok: boolean) => ({ result: { content: [{ type: 'text', text: `{"ok":${ok}}` }] } });

test('The failure names the condition, what was read, how often, and the writes that were made.', () => {
  const { run } = play(plan, { answer: ({ target }) => text(target !== 's/r') });
  expect(rowOf(run).failure).toMatchObject({
    code: 'not-achieved',
    step: 'ensure.1',
    message:
      '`result.output.ok` is not true: 13 reads of s/r in 1 m found {"ok":false}. The run has made these writes: s/a at a.',
  });
});

/** Goal: a run that is killed at any moment still ensures. Method: it goes on after each event of its journal. */
test('A run that goes on after any event of its journal reads until its promise is true.', () => {
  const repeatable = planOf(`workflow: w\n${ofRun(', within: 1m')}`, { 's/a': 'idempotent' });
  const answer = ({ path }: { path: string }) => text(!path.startsWith('ensure.1/0/'));
  const { journal } = play(repeatable, { answer });
  for (let length = 1; length < journal.length; length += 1) {
    const { run, journal: whole } = playOn(repeatable, journal.slice(0, length), { answer });
    expect(run.status).toBe('succeeded');
    const ensured = whole.findIndex((event) => event.type === 'step.succeeded' && event.path === 'ensure.1');
    expect(ensured).toBeGreaterThan(whole.findIndex((event) => event.type === 'step.succeeded' && event.path === 'a'));
  }
});

test('A retry keeps what was done, also in a new version, and ensures again what is promised.', () => {
  const two = planOf(
    `workflow: w\nsteps: [{ tool: s/a, id: a, ensure: [${that()}] }, { tool: s/b, id: b }]\nensure: [${that('', 's/q')}, ${that('', 's/z')}]`,
  );
  const answer = ({ target }: { target: string }) => text(target !== 's/z');
  const { journal } = play(two, { answer });
  const at = journal.at(-1)?.at ?? 0;
  const done = (events: readonly RunEvent[]): string[] =>
    events.flatMap((event) => (event.type === 'step.succeeded' && !event.path.includes('/0/') ? [event.path] : []));
  expect(done(journal)).toEqual(['a', 'a/@ensure/ensure.1', 'b', 'ensure.1']);
  const same = carryOutcomes(two, journal, { at });
  const other = carryToVersion(two, journal, { at, runId: 'old', inputs: { json: {} }, blobs: () => undefined });
  for (const { events } of [same, other]) expect(done(events)).toEqual(['a', 'a/@ensure/ensure.1', 'b']);
});

test('A retry that is not true either names the writes that it kept, which it then undoes.', () => {
  const own = planOf(
    `workflow: w\nsteps: [{ tool: s/l, id: l, effect: read }, { tool: s/a, id: a, undo: { tool: s/ua } }]\nensure: [${that()}]`,
  );
  const first = play(own, {
    answer: ({ target }) =>
      target === 's/r' ? { failure: { code: 'tool-failed', message: 'No.' }, delivery: 'answered' } : text(true),
  });
  const [requested] = first.journal;
  if (requested === undefined) throw new Error('a journal is never empty');
  const { events } = carryOutcomes(own, first.journal, { at: first.run.at });
  const { run, calls } = playOn(own, [requested, ...events], { answer: () => text(false) });
  expect(calls.map(({ target }) => target)).toEqual(['s/r', 's/ua']);
  expect(rowOf(run).failure).toMatchObject({
    code: 'not-achieved',
    message:
      '`result.output.ok` is not true: the read of s/r found {"ok":false}. It has kept these writes of the run before: s/a at a.',
    details: { writes: ['s/a at a'] },
  });
});

test('A retry repeats no step whose own `ensure` was not true, and ensures it again.', () => {
  const own = planOf(`workflow: w\nsteps: [{ tool: s/a, id: a, ensure: [${that()}] }, { tool: s/b, id: b }]`);
  const { journal } = play(own, { answer: ({ target }) => text(target !== 's/r') });
  const [requested, ...kept] = [journal[0], ...carryOutcomes(own, journal, { at: journal.at(-1)?.at ?? 0 }).events];
  if (requested === undefined) throw new Error('a journal is never empty');
  const { run, calls } = playOn(own, [requested, ...kept], { answer: () => text(true) });
  expect([run.status, calls.map(({ target }) => target)]).toEqual(['succeeded', ['s/r', 's/b']]);
});

test('The sentence of a run that succeeded counts what it ensured, and each condition says where and when.', () => {
  const reading = planOf(`workflow: w\n${ofRun()}`, { 's/r': 'read' });
  const { run, journal } = play(reading, { answer: () => text(true) });
  const { steps } = Trace.of(journal);
  expect(runSentence(sentenceInput(run), steps, run.at)).toMatch(/It made 1 write\. It ensured 1 condition\.$/);
  expect(ensuredIn(steps)).toEqual([
    { path: 'ensure.1', that: 'result.output.ok', read: 's/r', status: 'succeeded', at: expect.any(Number) as number },
  ]);
});
