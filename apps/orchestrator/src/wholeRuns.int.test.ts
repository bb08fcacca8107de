import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type FreshStore, brokenServer, freshStore, readLedger, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { type TestAnswer, type TestApp, openTestApp } from './testing/testApp.ts';
import { openStream } from './testing/testStream.ts';
import { type TestWorker, startTestWorker } from './testing/testWorker.ts';

// Whole processes, on machines that have much else to do.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let store: FreshStore;
let app: TestApp;
let worker: TestWorker;
let url: string;

const ledger = (): string => join(folder, 'ledger');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-whole-runs-'));
  store = await freshStore();
  const servers = { tools: { ...toolsServer(ledger()) }, gone: { ...brokenServer('exits') } };
  app = await openTestApp(store, store.url, { servers });
  url = await app.listen();
  worker = await startTestWorker(store.url, servers);
});

afterAll(async () => {
  await worker.stop();
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (workflow: string, more: object = {}, headers: Record<string, string> = {}): Promise<TestAnswer> =>
  app.ask('POST /v1/runs', { json: { workflow, ...more }, headers: { prefer: 'wait=60', ...headers } });

const echo = `
workflow: echo
inputs: { message: { type: string } }
steps:
  - { id: said, tool: tools/echo, with: { message: "\${{ inputs.message }}" } }
  - { id: again, tool: tools/echo, with: { message: "\${{ steps.said.text }}!" } }
outputs: { heard: "\${{ steps.again.text }}" }
`;

describe('a run that is waited for', () => {
  test('comes back finished, with its steps and what they came to', async () => {
    const answer = await run(echo, { inputs: { message: 'hello' } });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        workflow: 'echo',
        status: 'succeeded',
        outputs: { heard: 'hello!' },
        progress: { finished: 2, total: 2 },
        steps: [
          { id: 'said', path: 'said', verb: 'tool', target: 'tools/echo', status: 'succeeded', attempts: [{ n: 1 }] },
          { id: 'again', status: 'succeeded' },
        ],
      },
    });
    expect(answer.headers['preference-applied']).toBe('wait=60');
    expect((await app.ask(`GET ${String(answer.headers['location'])}`)).body).toEqual(answer.body);
    const listed = (await app.ask('GET /v1/runs?status=succeeded&workflow=echo')).body['data'];
    expect(listed).toMatchObject([{ id: answer.body['id'], outputs: { heard: 'hello!' } }]);
  });

  test('asked for again with its key comes back at once, the same', async () => {
    const headers = { 'idempotency-key': 'whole' };
    const first = await run(echo, { inputs: { message: 'once' } }, headers);
    const calls = readLedger(ledger()).length;
    const again = await run(echo, { inputs: { message: 'once' } }, headers);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(readLedger(ledger())).toHaveLength(calls);
  });

  test('that failed says why, and at which step', async () => {
    const answer = await run(`
workflow: fails
steps:
  - { id: bad, tool: tools/fail, effect: idempotent, retry: { attempts: 2, delay: 10ms }, with: { message: it broke } }
`);
    expect(answer.body).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('it broke') as string, step: 'bad' },
      steps: [{ id: 'bad', status: 'failed', error: {} }],
    });
  });

  test('with return=minimal comes back as its outcome alone: whole outputs, or the failure', async () => {
    const headers = { prefer: 'wait=60, return=minimal' };
    const message = 'x'.repeat(100_000);
    const { body: good, headers: told } = await run(echo, { inputs: { message } }, headers);
    expect(good).toEqual({ id: good['id'], status: 'succeeded', outputs: { heard: `${message}!` } });
    expect(told['preference-applied']).toBe('return=minimal, wait=60');
    const failing = 'workflow: fails\nsteps:\n  - { id: bad, fail: "no more" }\n';
    const { body: bad } = await run(failing, {}, { ...headers, 'idempotency-key': 'minimal' });
    expect(bad).toEqual({ id: bad['id'], status: 'failed', error: expect.objectContaining({ step: 'bad' }) as object });
    const again = await run(failing, {}, { ...headers, 'idempotency-key': 'minimal' });
    expect(again).toMatchObject({ status: 200, body: bad });
  });

  test('and does not end in time comes back with the state that it is in then', async () => {
    const asking = 'workflow: asks\nsteps:\n  - { id: ok, ask: "Go on?" }\n';
    expect(await run(asking, {}, { prefer: 'wait=1' })).toMatchObject({ status: 202, body: { status: 'waiting' } });
  });

  test('on a server that ends at once names what was started', async () => {
    const answer = await run('workflow: nowhere\nsteps:\n  - { id: call, tool: gone/any, retry: { attempts: 1 } }\n');
    expect(answer.body).toMatchObject({ status: 'failed', error: { step: 'call' } });
  });
});

describe('the events of a run', () => {
  test('are the same live and afterwards, each once, and end with the run', async () => {
    const key = await app.newKey(['runs:read', 'runs:write']);
    const started = await app.ask('POST /v1/runs', {
      json: { workflow: 'workflow: slow\nsteps:\n  - { id: slow, tool: tools/slow, with: { ms: 200 } }\n' },
    });
    const id = String(started.body['id']);
    const stream = await openStream(`${url}/v1/runs/${id}/events`, { key });
    const live = await stream.rest();
    const { body } = await app.ask(`GET /v1/runs/${id}/events?limit=200`);
    expect(live.map(({ data }) => data)).toEqual(body['data']);
    expect(live.map(({ id: position }) => position)).toEqual(live.map((_, at) => at + 1));
    expect(live.at(-1)?.data).toMatchObject({ type: 'run.finished', status: 'succeeded' });
  });
});

describe('a large value', () => {
  test('is left out where it would be too much, and can be had by its digest, of its own run only', async () => {
    const message = 'x'.repeat(200_000);
    const { body } = await run(echo, { inputs: { message } });
    expect(body['outputs']).toEqual({ heard: `${message}!` });
    expect(body['inputs']).toEqual({ message });
    const [step] = body['steps'] as { output: { $large: { sha256: string; bytes: number } } }[];
    const { sha256, bytes } = step?.output.$large ?? { sha256: '', bytes: 0 };
    expect(bytes).toBeGreaterThan(200_000);
    const value = await app.ask(`GET /v1/runs/${String(body['id'])}/values/${sha256}`);
    expect(value.status).toBe(200);
    expect(value.text).toContain(message);
    // To name it is not to have it, nor does a run get it that begins with what the other one had.
    const naming = 'workflow: naming\ninputs: { it: { type: object } }\nsteps: [{ set: { a: 1 } }]\n';
    const other = await run(naming, { inputs: { it: { blob: { sha256, bytes, preview: '' } } } });
    const { body: again } = await app.ask(`POST /v1/runs/${String(other.body['id'])}/rerun`);
    for (const id of [other.body['id'], again['id']])
      expect((await app.ask(`GET /v1/runs/${String(id)}/values/${sha256}`)).status).toBe(404);
    const { body: next } = await app.ask(`POST /v1/runs/${String(body['id'])}/rerun`, { json: { from: 'again' } });
    expect((await app.ask(`GET /v1/runs/${String(next['id'])}/values/${sha256}`)).status).toBe(200);
    expect((await app.ask(`GET /v1/runs/${String(body['id'])}/values/${sha256.replace(/./g, '0')}`)).status).toBe(404);
    const [listed] = (await app.ask('GET /v1/runs?workflow=echo&limit=2')).body['data'] as { id: string }[];
    expect(JSON.stringify(listed).length).toBeLessThan(10_000);
  });
});

test('a large value that a child run came to can be had of its parent', async () => {
  await app.deploy(echo);
  const calling =
    'workflow: calling\nsteps:\n  - { id: child, workflow: echo, with: { message: "${{ inputs.message }}" } }\n';
  const inputs = { message: 'y'.repeat(200_000) };
  const { body } = await run(`${calling}inputs: { message: { type: string } }\n`, { inputs });
  const [step] = body['steps'] as { output: { $large: { sha256: string } } }[];
  const value = await app.ask(`GET /v1/runs/${String(body['id'])}/values/${step?.output.$large.sha256 ?? ''}`);
  expect([value.status, value.text.length]).toEqual([200, JSON.stringify({ heard: `${inputs.message}!` }).length]);
});

describe('a run in the middle of a call', () => {
  test('is cancelled: the call is told, the run ends, and asking again says that it is over', async () => {
    const started = await app.ask('POST /v1/runs', {
      json: { workflow: 'workflow: hangs\nsteps:\n  - { id: hang, tool: tools/hang, effect: read }\n' },
    });
    const id = String(started.body['id']);
    const key = await app.newKey(['runs:read']);
    const stream = await openStream(`${url}/v1/runs/${id}/events`, { key });
    for (let event = await stream.next(); event?.data['type'] !== 'step.started';) event = await stream.next();
    const cancelled = await app.ask(`POST /v1/runs/${id}/cancel`, { json: { reason: 'enough' } });
    expect(cancelled).toMatchObject({ status: 202, body: { id, cancelRequested: true } });
    const rest = await stream.rest();
    expect(rest.at(-1)?.data).toMatchObject({ type: 'run.finished', status: 'cancelled' });
    expect((await app.ask(`GET /v1/runs/${id}`)).body).toMatchObject({ status: 'cancelled' });
    expect(await app.ask(`POST /v1/runs/${id}/cancel`)).toMatchObject({
      status: 409,
      body: { type: 'urn:baton:problem:already-finished' },
    });
  });
});
