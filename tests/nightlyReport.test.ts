/**
 * The example of the language page, deployed and run in whole processes against scripted servers: each of its branches.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readLedger } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Installation } from './installation.ts';
import { example, Nightly, statusOf, toolsIn } from './nightly.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-nightly-'));
const ledger = join(folder, 'ledger');

let nightly: Nightly;
let baton: Installation;

beforeAll(async () => {
  nightly = await Nightly.start(example, ledger, ['agreed', 'refused', 'asked', 'lost', 'late', 'mute']);
  ({ baton } = nightly);
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('[L-002] the nightly report, deployed', () => {
  test('that finds little files no ticket; a repository that cannot be scanned is an error at its place', async () => {
    const before = readLedger(ledger).length;
    const run = await baton.ended(await nightly.start('quiet'));
    expect(run).toMatchObject({ status: 'succeeded', outputs: { worst: 'low' } });
    expect(run.steps.find(({ path }) => path === 'scans')?.output).toEqual([
      { repo: 'api', findings: ['https://example.test/quiet/api.git'] },
      { error: { code: 'tool-failed', message: expect.stringContaining('cloned') as string, step: 'scans/1/scan' } },
    ]);
    expect(toolsIn(nightly.since(before))).toEqual(['list_repositories', 'scan', 'scan', 'release']);
  });

  test('that finds much asks, and files a ticket with its key once a person agrees', async () => {
    const before = readLedger(ledger).length;
    const id = await nightly.start('agreed');
    expect(await nightly.answered(id, true)).toMatchObject({ status: 'succeeded', outputs: { worst: 'critical' } });
    const filed = nightly.since(before).filter(({ call }) => call === 'create_issue');
    expect(filed).toMatchObject([
      { arguments: { body: 'Much was found at agreed.' }, meta: { idempotencyKey: `${id}:ticket` } },
    ]);
  });

  test('files none without a person’s consent', async () => {
    const before = readLedger(ledger).length;
    const run = await nightly.answered(await nightly.start('refused'), false);
    expect([run.status, statusOf(run, 'ticket')]).toEqual(['succeeded', 'skipped']);
    expect(toolsIn(nightly.since(before))).not.toContain('create_issue');
  });

  test('that cannot list the repositories says so where people talk, and releases the scanner', async () => {
    const before = readLedger(ledger).length;
    const run = await baton.ended(await nightly.start('unlisted'));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool-failed', step: 'repos' } });
    expect(toolsIn(nightly.since(before))).toEqual(['list_repositories', 'post', 'release']);
    expect(nightly.since(before)[1]?.arguments?.['text']).toMatch(`Run ${run.id} failed at repos: `);
  });

  test('whose ticket is filed by a server that dies before it says so finds that out, and files no other', async () => {
    const before = readLedger(ledger).length;
    const run = await nightly.answered(await nightly.start('lost'), true);
    expect([run.status, statusOf(run, 'ticket')]).toEqual(['succeeded', 'succeeded']);
    expect(toolsIn(nightly.since(before)).slice(-3)).toEqual(['create_issue', 'search', 'release']);
  });

  test('that is cancelled while it scans gives the scan up, and releases the scanner', async () => {
    const before = readLedger(ledger).length;
    const id = await nightly.start('long');
    await nightly.called('scan', before);
    await baton.api('POST', `/v1/runs/${id}/cancel`);
    const run = await baton.ended(id);
    expect([run.status, statusOf(run, 'scans')]).toEqual(['cancelled', 'cancelled']);
    expect(toolsIn(nightly.since(before)).at(-1)).toBe('release');
  });

  test('that is cancelled while it asks takes the question back', async () => {
    const id = await nightly.start('asked');
    const question = await nightly.questionOf(id);
    await baton.api('POST', `/v1/runs/${id}/cancel`);
    expect((await baton.ended(id)).status).toBe('cancelled');
    const { status } = await baton.api('POST', `/v1/questions/${question}/answer`, { answer: { approve: true } });
    expect(status).toBe(409);
  });

  test.each([
    ['does not say so, does not know, and files no other', 'mute', 'cancelled', 'unknown'],
    ['says so, was cancelled too late', 'late', 'succeeded', 'succeeded'],
  ])('that is cancelled while its ticket is filed by a server that %s', async (_, org, status, ofTicket) => {
    const before = readLedger(ledger).length;
    const id = await nightly.start(org);
    const ended = nightly.answered(id, true);
    await nightly.called('create_issue', before);
    await baton.api('POST', `/v1/runs/${id}/cancel`);
    const run = await ended;
    expect([run.status, statusOf(run, 'ticket')]).toEqual([status, ofTicket]);
    expect(toolsIn(nightly.since(before)).slice(-2)).toEqual(['create_issue', 'release']);
  });
});
