/** The example of the language page, deployed and run in whole processes against scripted servers: each of its branches. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { LedgerEntry } from '@baton/testing';
import { nightlyServer, readLedger } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import type { Run } from './installation.ts';
import { Installation } from './installation.ts';

const file = new URL('../libs/language/fixtures/nightly-report.workflow.yaml', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'baton-nightly-'));
const ledger = join(folder, 'ledger');
const patience = { timeout: 60_000, interval: 50 };

/** The organisation stands in the addresses that the scanner found something at: what is worst follows from it. */
const modelRules = [
  ...['agreed', 'refused', 'asked', 'lost', 'late', 'mute'].map((org) => ({
    match: `/${org}/`,
    json: { worst: 'critical', summary: `Much was found at ${org}.` },
  })),
  { json: { worst: 'low', summary: 'Little was found.' } },
];

let baton: Installation;

beforeAll(async () => {
  const names = ['github', 'scanner', 'playbook', 'jira', 'chat', 'wiki'];
  const servers = Object.fromEntries(names.map((name) => [name, nightlyServer(ledger)]));
  baton = await Installation.start({ servers, modelRules });
  await baton.api('PUT', '/v1/secrets/CI_HOOK', { value: 'whsec_b25seSBmb3IgdGhpcyB0ZXN0' });
  await baton.deploy(readFileSync(file, 'utf8'));
});

afterAll(async () => {
  await baton.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (org: string): Promise<string> => baton.start('nightly-report', { org });
const statusOf = ({ steps }: Run, path: string): string | undefined => steps.find((one) => one.path === path)?.status;

/** Calls in the ledger since it had `before` lines, by their tools. */
const since = (before: number): LedgerEntry[] => readLedger(ledger).slice(before);
const toolsIn = (entries: readonly LedgerEntry[]): (string | undefined)[] => entries.map(({ call }) => call);

async function questionOf(runId: string): Promise<string> {
  return vi.waitFor(async () => {
    const { body } = await baton.api('GET', '/v1/questions?workflow=nightly-report');
    const question = (body['data'] as { id: string; runId: string }[]).find((one) => one.runId === runId);
    expect(question).toBeDefined();
    return question?.id ?? '';
  }, patience);
}

async function answered(runId: string, approve: boolean): Promise<Run> {
  const answer = { approve, priority: 'P1' };
  const { status } = await baton.api('POST', `/v1/questions/${await questionOf(runId)}/answer`, { answer });
  expect(status).toBe(200);
  return baton.ended(runId);
}

const called = (tool: string, before: number): Promise<void> =>
  vi.waitFor(() => expect(toolsIn(since(before))).toContain(tool), patience);

describe('[L-002] the nightly report, deployed', () => {
  test('that finds little files no ticket; a repository that cannot be scanned stands in its place', async () => {
    const before = readLedger(ledger).length;
    const run = await baton.ended(await start('quiet'));
    expect(run).toMatchObject({ status: 'succeeded', outputs: { worst: 'low' } });
    expect(run.steps.find(({ path }) => path === 'scans')?.output).toEqual([
      { repo: 'api', findings: ['https://example.test/quiet/api.git'] },
      { error: { code: 'tool-failed', message: expect.stringContaining('cloned') as string, step: 'scans/1/scan' } },
    ]);
    expect(toolsIn(since(before))).toEqual(['list_repositories', 'scan', 'scan', 'release']);
  });

  test('that finds much asks, and files a ticket with its key where somebody agrees', async () => {
    const before = readLedger(ledger).length;
    const id = await start('agreed');
    expect(await answered(id, true)).toMatchObject({ status: 'succeeded', outputs: { worst: 'critical' } });
    const filed = since(before).filter(({ call }) => call === 'create_issue');
    expect(filed).toMatchObject([
      { arguments: { body: 'Much was found at agreed.' }, meta: { idempotencyKey: `${id}:ticket` } },
    ]);
  });

  test('files none where nobody agrees', async () => {
    const before = readLedger(ledger).length;
    const run = await answered(await start('refused'), false);
    expect([run.status, statusOf(run, 'ticket')]).toEqual(['succeeded', 'skipped']);
    expect(toolsIn(since(before))).not.toContain('create_issue');
  });

  test('that cannot list the repositories says so where people talk, and releases the scanner', async () => {
    const before = readLedger(ledger).length;
    const run = await baton.ended(await start('unlisted'));
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tool-failed', step: 'repos' } });
    expect(toolsIn(since(before))).toEqual(['list_repositories', 'post', 'release']);
    expect(since(before)[1]?.arguments?.['text']).toMatch(`Run ${run.id} failed at repos: `);
  });

  test('whose ticket is filed by a server that dies before it says so finds that out, and files no other', async () => {
    const before = readLedger(ledger).length;
    const run = await answered(await start('lost'), true);
    expect([run.status, statusOf(run, 'ticket')]).toEqual(['succeeded', 'succeeded']);
    expect(toolsIn(since(before)).slice(-3)).toEqual(['create_issue', 'search', 'release']);
  });

  test('that is cancelled while it scans gives the scan up, and releases the scanner', async () => {
    const before = readLedger(ledger).length;
    const id = await start('long');
    await called('scan', before);
    await baton.api('POST', `/v1/runs/${id}/cancel`);
    const run = await baton.ended(id);
    expect([run.status, statusOf(run, 'scans')]).toEqual(['cancelled', 'cancelled']);
    expect(toolsIn(since(before)).at(-1)).toBe('release');
  });

  test('that is cancelled while it asks takes the question back', async () => {
    const id = await start('asked');
    const question = await questionOf(id);
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
    const id = await start(org);
    const ended = answered(id, true);
    await called('create_issue', before);
    await baton.api('POST', `/v1/runs/${id}/cancel`);
    const run = await ended;
    expect([run.status, statusOf(run, 'ticket')]).toEqual([status, ofTicket]);
    expect(toolsIn(since(before)).slice(-2)).toEqual(['create_issue', 'release']);
  });
});
