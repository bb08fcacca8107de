import { type Principal, questionId } from '@baton/control';
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

async function newRun(
  journal: MemoryJournal,
  kind: 'session' | 'api',
  events: readonly RunEvent[],
  via?: string,
): Promise<string> {
  const order = { workflow: 'session', definition: 'd', inputs: {}, trigger: { kind, detail: {} }, by: 'ada', via };
  const { runId } = await journal.request(requested(order, 1));
  if (events.length > 0) await (await journal.open(runId))?.log.append({ events });
  return runId;
}

const stateOf = (runId: string, at = path): string => `${questionId(runId, at, 1)} 0 ${at}`;

function client(by: string, name?: string): Principal {
  const holder = { id: by, name: by, by, scopes: new Set(['runs:write']) };
  return name === undefined ? holder : { ...holder, client: { id: name, holder, name, digest: Buffer.alloc(0) } };
}

test('a call is resumed by the key that made it, and by no other', async () => {
  const journal = new MemoryJournal();
  const runId = await newRun(journal, 'session', [call]);
  expect(await resumedCall(journal, client('ada'), stateOf(runId))).toEqual({ runId, path, isRepeated: false });
  expect(await resumedCall(journal, client('eve'), stateOf(runId))).toBeUndefined();
});

test('a call that a client of OAuth made is resumed by that client, and by no other client of its person', async () => {
  const journal = new MemoryJournal();
  const runId = await newRun(journal, 'session', [call], 'claude');
  expect(await resumedCall(journal, client('ada', 'claude'), stateOf(runId))).toEqual({
    runId,
    path,
    isRepeated: false,
  });
  for (const other of [client('ada', 'cursor'), client('ada')])
    expect(await resumedCall(journal, other, stateOf(runId))).toBeUndefined();
});

test('a state that a client wrote itself resumes no call that the session did not make, and no run of a workflow', async () => {
  const journal = new MemoryJournal();
  const runId = await newRun(journal, 'session', [call]);
  const other = await newRun(journal, 'api', []);
  for (const state of [stateOf(runId, 'write-2'), stateOf(other), `${runId} 0 ${path}`, 'x', ''])
    expect(await resumedCall(journal, client('ada'), state)).toBeUndefined();
});
