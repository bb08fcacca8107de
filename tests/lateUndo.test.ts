/**
 * What of the language page's example is taken back, by which calls, when a run is cancelled while its ticket is filed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { readLedger } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Installation } from './installation.ts';
import { example, Nightly, statusOf } from './nightly.ts';

/** The example, with something to undo before its ticket, and a step that is still to be done after it. */
const workflow = example
  .replace(
    '\nsteps:\n',
    `
steps:
  - id: notice
    tool: chat/post
    with: { text: "begun at \${{ inputs.org }}" }
    undo: { tool: chat/post, with: { text: "\${{ steps.notice.text }}, and taken back" } }
`,
  )
  .replace('\nonFailure:\n', '\n  - tool: chat/post\n    with: { text: done }\nonFailure:\n');

const folder = mkdtempSync(join(tmpdir(), 'baton-undo-'));
const ledger = join(folder, 'ledger');

let nightly: Nightly;
let baton: Installation;

beforeAll(async () => {
  // One call at a time: the second waits.
  nightly = await Nightly.start(workflow, ledger, ['late', 'mute'], { baton: { concurrency: 1 } });
  ({ baton } = nightly);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true, force: true });
});

const cancel = (id: string): Promise<unknown> => baton.api('POST', `/v1/runs/${id}/cancel`);

/** Calls from the ticket on, with what they were given. */
const fromTicket = (before: number): unknown[] => {
  const calls = nightly.since(before).map((one) => [one.call, one.arguments]);
  return calls.slice(calls.findIndex(([call]) => call === 'create_issue') + 1);
};

const undoOfTicket = ['close_issue', { issue: 'SEC-2' }];
const undoOfNotice = ['post', { text: 'posted, and taken back' }];
const release = ['release', {}];

/** A run whose ticket is being filed. */
async function filing(org: string): Promise<string> {
  const before = readLedger(ledger).length;
  const id = await nightly.start(org);
  await nightly.answer(id, true);
  await nightly.called('create_issue', before);
  return id;
}

const statusIn = async (id: string, path: string): Promise<string | undefined> => statusOf(await baton.run(id), path);

/**
 * Kills the worker of a run that knows of its ticket and is about to close it: what closes it waits behind the ticket of
 * another run, which never is answered. Both runs, and the length of the ledger when the first one's ticket was filed.
 */
async function killedBeforeUndo(undo: string): Promise<{ id: string; other: string; before: number }> {
  const id = await filing('late');
  const before = readLedger(ledger).length;
  const other = await nightly.start('mute');
  await nightly.answer(other, true);
  await expect.poll(() => statusIn(other, 'ticket')).toBe('running');
  await cancel(id);
  await nightly.called('create_issue', before);
  await expect.poll(() => statusIn(id, undo)).toBe('running');
  expect(await statusIn(id, 'ticket')).toBe('succeeded');
  await baton.workers.at(-1)?.kill('SIGKILL');
  await baton.startWorker();
  return { id, other, before };
}

describe('a run of the example that is cancelled while its ticket is filed', () => {
  test('closes the ticket that it hears of so late, then takes back what it did before, then releases', async () => {
    const before = readLedger(ledger).length;
    const id = await filing('late');
    await cancel(id);
    const run = await baton.ended(id);
    expect([run.status, statusOf(run, 'ticket')]).toEqual(['cancelled', 'succeeded']);
    expect(fromTicket(before)).toEqual([undoOfTicket, undoOfNotice, release]);
  });

  test('closes no ticket of which it is told nothing, says that it does not know, and takes back the rest', async () => {
    const before = readLedger(ledger).length;
    const id = await filing('mute');
    await cancel(id);
    const run = await baton.ended(id);
    expect([run.status, statusOf(run, 'ticket')]).toEqual(['cancelled', 'unknown']);
    expect(fromTicket(before)).toEqual([undoOfNotice, release]);
  });

  test('says that it does not know whether it is closed, and takes back the rest, where its worker dies over closing it', async () => {
    const { id, other, before } = await killedBeforeUndo('ticket/@undo/tool-1');
    const run = await baton.ended(id);
    expect([run.status, statusOf(run, 'ticket/@undo/tool-1')]).toEqual(['cancelled', 'unknown']);
    expect((await baton.ended(other)).status).toBe('succeeded');
    const closed = nightly.since(before).filter(({ call }) => call === 'close_issue');
    expect([closed, fromTicket(before).filter((one) => isDeepStrictEqual(one, undoOfNotice))]).toEqual([
      [],
      [undoOfNotice],
    ]);
  });

  test('closes it once where its worker dies after it was told and before that was begun', async () => {
    await baton.deploy(
      workflow.replace(/undo: (\{ tool: jira.*\})\n/, (_, close: string) => `undo: [${lookFirst}, ${close}]\n`),
    );
    const { id, other, before } = await killedBeforeUndo('ticket/@undo/tool-1');
    const run = await baton.ended(id);
    expect([run.status, statusOf(run, 'ticket/@undo/tool-2')]).toEqual(['cancelled', 'succeeded']);
    expect((await baton.ended(other)).status).toBe('succeeded');
    const undone = fromTicket(before).filter((one) =>
      [undoOfTicket, undoOfNotice].some((undo) => isDeepStrictEqual(one, undo)),
    );
    expect(undone).toEqual([undoOfTicket, undoOfNotice]);
  });
});

/** A read is simply done again. */
const lookFirst = '{ tool: jira/search, with: { text: SEC-2 }, effect: read }';
