import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { RunEvent } from '@baton/engine';
import { verifyDelivery } from '@baton/protocol';
import { type Clock, advance, requested } from '@baton/runner';
import { cachedPlans, definitionOf, deployWorkflow, putSecret, Vault } from '@baton/store';
import { type FreshStore, freshStore, tamper, testSecrets } from '@baton/testing';
import { type Outbound, openOutbound } from '@baton/transports';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { RunView } from '../shapes/runView.ts';
import { type CallbackOutcome, Deliverer } from './deliverer.ts';

interface ReceivedCallback {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const vault = new Vault(randomBytes(32));
const definition = definitionOf('workflow: told\nsteps:\n  - set: { a: 1 }\n', 'yaml', {});

let store: FreshStore;
let receiver: Server;
let url: string;
let outbound: Outbound;
let received: ReceivedCallback[];
/** How the receiver answers, one after another; 200 after the last. */
let statuses: number[];
let givenUp: string[];
let tried: CallbackOutcome[];
let nowMs: number;

beforeAll(async () => {
  store = await freshStore();
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(statuses.shift() ?? 200, { location: url }).end('thank you');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/told`;
  outbound = openOutbound({ loopback: false, networks: ['127.0.0.0/8'] });
  await deployWorkflow(store, { workflow: 'told', definition, findings: [], by: 'test' });
  await putSecret(store, vault, { name: 'CALLBACK', value: secret, by: 'test' });
});

afterAll(async () => {
  await outbound.close();
  receiver.close();
  await store.close();
});

beforeEach(async () => {
  received = [];
  statuses = [];
  givenUp = [];
  tried = [];
  nowMs = 1_900_000_000_000;
  await store.pool.query('delete from callback');
});

const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => () => undefined };

function deliverer(to: Outbound = outbound): Deliverer {
  const fail = (error: Error): void => {
    throw error;
  };
  const view = new RunView({ plans: cachedPlans(store), store, clock });
  const onGivenUp = (runId: string): void => void givenUp.push(runId);
  const onTried = (outcome: CallbackOutcome): void => void tried.push(outcome);
  return new Deliverer({
    store,
    secrets: testSecrets(store, vault),
    outbound: to,
    view,
    clock,
    onTrouble: fail,
    onGivenUp,
    onTried,
  });
}

async function newRun({
  isOver = true,
  isLarge = false,
  ...callback
}: { isOver?: boolean; isLarge?: boolean; url?: string; secret?: string } = {}): Promise<string> {
  const inputs = isLarge ? { text: 'x'.repeat(70_000) } : {};
  const trigger = { kind: 'api' } as const;
  const order = { workflow: 'told', version: 1, definition: definition.digest, inputs, trigger, by: 'key-1' };
  const { event, blobs } = requested(order, 1_800_000_000_000);
  const { runId } = await store.request({ event, blobs, callback: { url, secret: 'CALLBACK', ...callback } });
  if (isOver) await end(runId);
  return runId;
}

async function end(runId: string): Promise<void> {
  await advance(store.journal, runId, ({ at }): RunEvent[] => [
    { type: 'run.claimed', at, worker: 'w1', claim: 1 },
    { type: 'run.finished', at, status: 'succeeded' },
  ]);
}

async function stateOf(runId: string): Promise<object | undefined> {
  const { rows } = await store.pool.query<object>(
    'select status, attempts, last_error as error from callback where run_id = $1',
    [runId],
  );
  return rows[0];
}

describe('a callback', () => {
  test('comes when the run is over, once, signed, with the run', async () => {
    const runId = await newRun({ isOver: false });
    const one = deliverer();
    expect(await one.deliver()).toBe(0);
    await end(runId);
    await Promise.all([one.deliver(), deliverer().deliver(), deliverer().deliver()]);
    await one.deliver();
    expect(received).toHaveLength(1);
    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received;
    expect(verifyDelivery('standard', { headers, body, secrets: [secret], nowMs }).id).toBe(`run_${runId}`);
    expect(JSON.parse(body.toString())).toMatchObject({
      type: 'run.finished',
      timestamp: '2030-03-17T17:46:40.000Z',
      data: { id: runId, workflow: 'told', status: 'succeeded' },
    });
    expect(await stateOf(runId)).toEqual({ status: 'delivered', attempts: 1, error: null });
  });

  test('is not signed with a secret that was bound to others meanwhile, and comes when it is bound to it', async () => {
    const bind = (servers: string[] | null) => putSecret(store, vault, { name: 'BOUND', servers, by: 'test' });
    await putSecret(store, vault, { name: 'BOUND', value: secret, servers: ['tools'], by: 'test' });
    const runId = await newRun({ secret: 'BOUND' });
    await deliverer().deliver();
    const error = expect.stringContaining('and not to "callbacks/127.0.0.1"') as string;
    expect([received, await stateOf(runId)]).toEqual([[], { status: 'pending', attempts: 1, error }]);
    await bind(['callbacks/127.0.0.1']);
    nowMs += 5_000;
    await deliverer().deliver();
    expect(received).toHaveLength(1);
  });

  test('that was not accepted is sent again, later each time, with the same id', async () => {
    statuses = [500, 302];
    const runId = await newRun();
    const one = deliverer();
    await one.deliver();
    expect(await stateOf(runId)).toEqual({ status: 'pending', attempts: 1, error: 'it was answered with 500' });
    expect(await one.deliver()).toBe(0);
    nowMs += 5_000;
    expect(await one.deliver()).toBe(1);
    nowMs += 5_000;
    expect(await one.deliver()).toBe(0);
    nowMs += 25_000;
    await one.deliver();
    expect(await stateOf(runId)).toMatchObject({ status: 'delivered', attempts: 3 });
    expect(tried).toEqual(['to-be-retried', 'to-be-retried', 'delivered']);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`run_${runId}`]));
  });

  test('that is not accepted for days, or whose receiver is gone, is given up', async () => {
    const [deaf, gone] = [await newRun({ url: 'http://127.0.0.1:1/' }), await newRun()];
    statuses = [410];
    const one = deliverer();
    for (let tries = 0; tries < 20; tries += 1) {
      await one.deliver();
      nowMs += 86_400_000;
    }
    expect(await stateOf(deaf)).toMatchObject({ status: 'given-up', attempts: 13 });
    expect(await stateOf(gone)).toMatchObject({ status: 'given-up', attempts: 1 });
    expect(new Set(givenUp)).toEqual(new Set([deaf, gone]));
    expect(tried.filter((outcome) => outcome === 'given-up')).toHaveLength(2);
  });

  test('goes to no blocked address, also not under a name', async () => {
    const port = new URL(url).port;
    const strict = openOutbound({ loopback: false, networks: [] });
    onTestFinished(() => strict.close());
    for (const target of [url, `http://localhost:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`]) {
      const runId = await newRun({ url: target });
      await deliverer(strict).deliver();
      expect(await stateOf(runId)).toMatchObject({ status: 'pending' });
    }
    expect(received).toEqual([]);
    for (const refused of [
      'http://169.254.169.254/',
      'http://0x7f.1/',
      'file:///etc/passwd',
      'http://u:p@a.example/',
      'x',
    ]) {
      expect(strict.refusal(refused)).toBeDefined();
    }
    expect(strict.refusal('https://a.example/hook')).toBeUndefined();
  });

  test('A callback whose run was changed in the database is noted as failed, and the others are delivered', async () => {
    const [changed, forged, other] = [await newRun({ isLarge: true }), await newRun(), await newRun()];
    await tamper(
      store,
      `update blob set text = '[]' where sha256 in (select sha256 from blob_use where run_id = '${changed}');
       update run_event set hash = decode('00', 'hex') where run_id = '${forged}' and seq = 1`,
    );
    await deliverer().deliver();
    const error = expect.stringContaining('was changed in the database') as string;
    expect(await stateOf(changed)).toEqual({ status: 'pending', attempts: 1, error });
    const unread = { status: 'pending', attempts: 1, error: 'the journal of the run cannot be read' };
    expect(await stateOf(forged)).toEqual(unread);
    expect(await stateOf(other)).toMatchObject({ status: 'delivered' });
    expect(tried.toSorted()).toEqual(['delivered', 'to-be-retried', 'to-be-retried']);
  });

  test('waits for its secret', async () => {
    const runId = await newRun({ secret: 'NOT_YET' });
    await deliverer().deliver();
    expect(await stateOf(runId)).toMatchObject({
      status: 'pending',
      error: 'there is no secret NOT_YET to sign it with',
    });
  });
});
