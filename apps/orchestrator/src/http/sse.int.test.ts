import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { JournalPages, RunWatches } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import { advance } from '@baton/runner';
import { newRunId } from '@baton/store';
import { type FreshStore, freshStore, MemoryBus, requestedEvent, TestClock } from '@baton/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { sseLimits, streamEvents } from './sse.ts';

let store: FreshStore;
let server: Server;
let clock: TestClock;
let watches: RunWatches;
let isGood = true;
let cuts = 0;
const onCut = (): void => void (cuts += 1);
const bus = new MemoryBus();
const stopping = new AbortController();
/** How streams ended, in the order in which they began. */
const ended: Promise<void>[] = [];

beforeAll(async () => {
  store = await freshStore();
  clock = new TestClock();
  const pages = new JournalPages(store);
  watches = new RunWatches({ bus, positions: async () => new Map(), clock });
  server = createServer((request, response) => {
    const runId = request.url?.slice(1) ?? '';
    const shouldContinue = async (): Promise<boolean> => isGood;
    const how = { after: 0, isOver: false, clock, stopping: stopping.signal, shouldContinue, onCut };
    const read = (after: number) => pages.read(runId, after);
    const watch = (onGrown: () => void) => watches.watch(runId, 0, onGrown);
    ended.push(streamEvents(response, { ...how, read, watch }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  watches.close();
  server.close();
  await store.close();
});

const newRun = async (): Promise<string> => {
  const made = await store.request({ event: requestedEvent(), blobs: [] });
  if (made.kind !== 'created') throw new Error('the run was not created');
  return made.runId;
};

const append = async (runId: string, ...events: readonly RunEvent[]): Promise<void> => {
  const advanced = await advance(store.journal, runId, () => events);
  bus.publish({ runId, seq: advanced?.run.seq ?? 0 });
};

const signal = (payload: string): RunEvent => ({
  type: 'signal.received',
  at: 1_800_000_000_001,
  name: 's',
  payload,
  by: 'test',
});

const read = (runId: string): Promise<IncomingMessage> => readFrom(server, runId);

async function readFrom(server: Server, runId: string): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port, path: `/${runId}`, agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.on('error', () => undefined);
  return answer;
}

async function until(answer: IncomingMessage, text: string): Promise<string> {
  let got = '';
  while (!got.includes(text)) {
    const [chunk] = (await once(answer, 'data')) as [Buffer];
    got += chunk.toString('utf8');
  }
  return got;
}

test('a quiet stream gives signs of life, until the key is no longer good', async () => {
  const answer = await read(await newRun());
  await until(answer, 'id: 1\n');
  clock.pass(sseLimits.heartbeatMs);
  expect(await until(answer, ':\n\n')).toBe(':\n\n');
  clock.pass(sseLimits.heartbeatMs);
  await until(answer, ':\n\n');
  isGood = false;
  const over = once(answer, 'end');
  answer.resume();
  clock.pass(sseLimits.heartbeatMs);
  await over;
  await ended.at(-1);
  isGood = true;
});

test('a stream that never rests sends nothing more when the key is no longer good', async () => {
  let reads = 0;
  const keyEnds = async (): Promise<boolean> => reads < 3;
  const endless = createServer((_request, response) => {
    const how = { after: 0, isOver: false, clock, stopping: stopping.signal, shouldContinue: keyEnds, onCut };
    const read = async (after: number) => {
      reads += 1;
      await nextTurn();
      return { text: `id: ${after + 1}\ndata: {}\n\n`, next: after + 1, isLast: false };
    };
    ended.push(streamEvents(response, { ...how, read, watch: () => () => undefined }));
  }).listen(0, '127.0.0.1');
  await once(endless, 'listening');
  const answer = await readFrom(endless, 'x');
  const over = once(answer, 'end');
  const sent = text(answer);
  await over;
  await ended.at(-1);
  expect(reads).toBe(3);
  expect((await sent).match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2']);
  endless.close();
});

test('a reader that is gone before its stream begins is not waited for', async () => {
  const over: Promise<void>[] = [];
  const begun = Promise.withResolvers<void>();
  const late = createServer((_request, response) => {
    const how = { after: 0, isOver: false, clock, stopping: stopping.signal, shouldContinue: async () => true, onCut };
    const read = async (after: number) => ({ text: '', next: after, isLast: false });
    response.once('close', () => {
      over.push(streamEvents(response, { ...how, read, watch: () => () => undefined }));
      begun.resolve();
    });
  }).listen(0, '127.0.0.1');
  await once(late, 'listening');
  const request = get({ host: '127.0.0.1', port: (late.address() as AddressInfo).port, agent: false });
  request.on('error', () => undefined);
  late.once('request', () => request.destroy());
  await begun.promise;
  await expect(over[0]).resolves.toBeUndefined();
  late.close();
});

test('a hint alone makes the reader get new events', async () => {
  const runId = await newRun();
  const answer = await read(runId);
  await until(answer, 'id: 1\n');
  await append(runId, signal('hello'));
  expect(await until(answer, 'hello')).toMatch(/^id: 2\ndata: \{"seq":2,"type":"signal.received"/);
  answer.destroy();
  await ended.at(-1);
});

test('a reader that takes nothing for too long is cut off, and has whole events up to there', async () => {
  const runId = await newRun();
  const large = 'x'.repeat(30_000);
  for (let times = 0; times < 10; times += 1) {
    await append(runId, ...Array.from({ length: 100 }, () => signal(large)));
  }
  const answer = await read(runId);
  answer.pause();
  await expect.poll(() => clock.isAwaited(sseLimits.patienceMs)).toBe(true);
  clock.pass(sseLimits.patienceMs);
  await ended.at(-1);
  let text = '';
  answer.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const closed = new Promise((resolve) => answer.once('close', resolve));
  answer.resume();
  await closed;
  expect(answer.complete).toBe(false);
  expect(cuts).toBe(1);
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(ids.map((_, at) => at + 1));
  expect(ids.length).toBeLessThan(1_001);
});

test('when the process stops, streams end, and no run is watched any more', async () => {
  const answers = await Promise.all([await newRun(), await newRun()].map(read));
  const over = Promise.all(answers.map((answer) => once(answer.resume(), 'end')));
  stopping.abort();
  await over;
  await Promise.all(ended);
  expect(watches.size).toBe(0);
  const late = await read(newRunId(Date.now()));
  await once(late.resume(), 'end');
});
