import { questionId } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import { requested } from '@baton/runner';
import { MemoryJournal } from '@baton/testing';
import { expect, test } from 'vitest';

import { resumedCall } from './resumedCall.ts';

const path = 'write-1';
const call: RunEvent = {
  type: 'call.requested',
  at: 2,
  path,
  target: { verb: 'tool', server: 's', tool: 'write', effect: { effect: 'write', from: 'default' } },
  arguments: { json: {} },
  by: 'ada',
  digest: 'd',
};

async function newRun(journal: MemoryJournal, kind: 'session' | 'api', events: readonly RunEvent[]): Promise<string> {
  const order = { workflow: 'session', definition: 'd', inputs: {}, trigger: { kind, detail: {} }, by: 'ada' };
  const { runId } = await journal.request(requested(order, 1));
  if (events.length > 0) await (await journal.open(runId))?.log.append({ events });
  return runId;
}

const stateOf = (runId: string, at = path): string => `${questionId(runId, at, 1)} 0 ${at}`;

test('a call is resumed by the key that made it, and by no other', async () => {
  const journal = new MemoryJournal();
  const runId = await newRun(journal, 'session', [call]);
  expect(await resumedCall(journal, 'ada', stateOf(runId))).toEqual({ runId, path, isRepeated: false });
  expect(await resumedCall(journal, 'eve', stateOf(runId))).toBeUndefined();
});

test('a state that a client wrote itself resumes no call that the session did not make, and no run of a workflow', async () => {
  const journal = new MemoryJournal();
  const runId = await newRun(journal, 'session', [call]);
  const other = await newRun(journal, 'api', []);
  for (const state of [stateOf(runId, 'write-2'), stateOf(other), `${runId} 0 ${path}`, 'x', ''])
    expect(await resumedCall(journal, 'ada', state)).toBeUndefined();
});
