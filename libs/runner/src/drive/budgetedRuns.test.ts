/** Runs whose workflow has a budget of a day or a month: what is spent keeps their next call from beginning. */
import type { ChargedCall, Failure } from '@baton/engine';
import { MemoryJournal, planOf, requestedEvent, testPorts } from '@baton/testing';
import { expect, test } from 'vitest';

import type { CallBudgets } from '../ports/callBudgets.ts';
import { RunDrivers } from './runDrivers.ts';

const spent: Failure = { code: 'budget-exceeded', message: 'The budget of test is spent.' };

/** Lets `left` writes and questions to models begin. */
async function driven(text: string, left: number) {
  const journal = new MemoryJournal();
  const plan = planOf(text);
  const called: string[] = [];
  const asked: ChargedCall[] = [];
  let charged = 0;
  const budgets: CallBudgets = {
    refused: async (_, calls) => {
      asked.push(...calls);
      return new Map(calls.slice(Math.max(0, left - charged)).map(({ path }) => [path, { ...spent, step: path }]));
    },
    refusedChild: async () => undefined,
  };
  const callTool = async ({ tool }: { readonly tool: string }) => {
    called.push(tool);
    if (tool !== 'r') charged += 1;
    return { result: { content: [] } };
  };
  const sample = async () => {
    called.push('model');
    charged += 1;
    return { result: { role: 'assistant', content: { type: 'text', text: 'Yes.' } }, usage: {} };
  };
  const ports = testPorts({
    journal,
    blobs: journal.blobs,
    plans: async () => plan,
    calls: { callTool },
    models: { sample },
    budgets,
  });
  const made = await journal.request({ event: requestedEvent() });
  if (made.kind !== 'created') throw new Error(made.kind);
  await new RunDrivers(ports).drive(made.runId);
  const events = (await journal.open(made.runId))?.events ?? [];
  return { called, asked, events };
}

test('a write of which nothing is left is not on record as begun: its step fails, and so does the run', async () => {
  const { called, asked, events } = await driven(
    'workflow: w\nsteps: [{ id: a, tool: s/a }, { id: read, tool: s/r, effect: read }, { id: b, tool: s/b }, { id: c, tool: s/c }]',
    1,
  );
  expect(called).toEqual(['a', 'r']);
  expect(asked.map(({ path, kind }) => `${kind} ${path}`)).toEqual(['write a', 'write b']);
  expect(events.some((event) => event.type === 'step.started' && event.path === 'b')).toBe(false);
  const failed = events.find((event) => event.type === 'step.failed');
  expect(failed).toMatchObject({ path: 'b', failure: { ...spent, step: 'b' } });
  expect(events.at(-1)).toMatchObject({ type: 'run.finished', status: 'failed', failure: { code: 'budget-exceeded' } });
});

test('a question to a model is refused in the same way, and `onError` handles it', async () => {
  const { called, events } = await driven(
    'workflow: w\nsteps: [{ id: a, sample: { append: "?" } }, { id: b, sample: { append: "?" }, onError: ignore }, { id: r, tool: s/r, effect: read }]',
    1,
  );
  expect(called).toEqual(['model', 'r']);
  expect(events.at(-1)).toMatchObject({ type: 'run.finished', status: 'succeeded' });
});

test('the steps that undo a run, and those that end it, are made with a spent budget too', async () => {
  const { called } = await driven(
    `workflow: w
steps:
  - { id: a, tool: s/a, undo: { tool: s/undone } }
  - { id: b, tool: s/b }
onFailure: [{ tool: s/told }]
finally: [{ tool: s/last }]
`,
    1,
  );
  expect(called).toEqual(['a', 'undone', 'told', 'last']);
});

test('of calls that begin together, those that are left begin', async () => {
  const { called, events } = await driven(
    'workflow: w\nsteps: [{ id: all, parallel: [{ id: p, tool: s/p }, { id: q, tool: s/q, onError: ignore }, { id: r, tool: s/x, onError: ignore }] }]',
    2,
  );
  expect(called).toEqual(['p', 'q']);
  expect(events.filter((event) => event.type === 'step.failed').map(({ path }) => path)).toEqual(['r']);
});
