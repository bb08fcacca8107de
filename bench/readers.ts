/**
 * Readers of live events on one orchestrator, beside a bare Fastify route that hands on the same rows: how late an event
 * reaches each of them, and what a delivery costs the server.
 *
 *   node bench/readers.ts [--readers 1000] [--seconds 10] [--turns 3] [--json FILE]
 *
 * Ten events a second are sent over HTTP, each with the instant at which it was; every reader gets every one of them. This
 * process reads, so it needs as much of the machine as whom it reads from.
 */
import { writeFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, Agent, get } from 'node:http';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { startChild } from './core/childSide.ts';
import { cpuMs, machine } from './core/cpu.ts';
import { parseOptions } from './core/parseOptions.ts';
import { median } from './core/stats.ts';
import { openServices } from './services.ts';
import { poster } from './sides/restClient.ts';
import { startStack } from './sides/stack.ts';

const options = {
  readers: { type: 'string' },
  seconds: { type: 'string' },
  turns: { type: 'string' },
  json: { type: 'string' },
} as const;
const { values } = parseOptions({ options });
const count = Number(values.readers ?? 1_000);
const seconds = Number(values.seconds ?? 10);
const turns = Number(values.turns ?? 3);
const perSecond = 10;
/** A key may have so many streams. */
const readersOfKey = 50;

type Headers = Readonly<Record<string, string>>;

interface Side {
  readonly name: string;
  readonly pid: number;
  readonly headers: Headers;
  /** Of readers, who take turns with them. */
  readonly readerHeaders: readonly Headers[];
  /** Where to read and where to write, for one turn. */
  turn(): Promise<{ readonly read: string; readonly write: string }>;
}

const post = poster(new Agent({ keepAlive: true, maxSockets: 4 }));
const now = (): number => performance.timeOrigin + performance.now();

interface Turn {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
  readonly lost: number;
}

async function measure({ pid, headers, readerHeaders, ...side }: Side): Promise<Turn> {
  const { read, write } = await side.turn();
  const late: number[] = [];
  const open = await Promise.all(
    Array.from({ length: count }, (_, at) => reader(read, readerHeaders[at % readerHeaders.length] ?? {}, late)),
  );
  const cpu = cpuMs({ pids: [pid], trees: [] });
  for (let at = 0; at < seconds * perSecond; at += 1) {
    const { status, text } = await post(write, JSON.stringify({ payload: now() }), headers);
    if (status !== 202) throw new Error(text);
    await passed(1_000 / perSecond);
  }
  const wanted = count * seconds * perSecond;
  for (let tries = 0; late.length < wanted && tries < 50; tries += 1) await passed(100);
  const used = cpuMs({ pids: [pid], trees: [] }) - cpu;
  for (const request of open) request.destroy();
  const sorted = late.toSorted((a, b) => a - b);
  return {
    p50Ms: median(sorted),
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    cpuMicros: (used * 1_000) / wanted,
    lost: wanted - late.length,
  };
}

/** Resolves when the stream is there. Notes how late each event is. */
async function reader(url: string, headers: Headers, late: number[]): Promise<ClientRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = get(url, { agent: false, headers: { ...headers, accept: 'text/event-stream' } }, resolve);
  request.on('error', reject);
  const answer = await promise;
  if (answer.statusCode !== 200) throw new Error(`${url} was answered with ${answer.statusCode}`);
  answer.on('error', () => undefined);
  let rest = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const sentAt = /"payload":([\d.]+)/.exec(block)?.[1];
      if (sentAt !== undefined) late.push(now() - Number(sentAt));
    }
  });
  return request;
}

const services = await openServices();
const database = await services.database('bare');
const bare = await startChild({
  file: fileURLToPath(new URL('sides/bareEvents.ts', import.meta.url)),
  env: { DATABASE_URL: database },
});
const stack = await startStack(services, { name: 'readers', workers: 0, redisUrl: services.redis?.url });
const url = String(stack.orchestrator.ready['url']);
const withKey = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const headers = withKey(stack.key);
const readerHeaders = await Promise.all(
  Array.from({ length: Math.ceil(count / readersOfKey) }, async (_, at) => {
    const { text } = await post(
      `${url}/v1/keys`,
      JSON.stringify({ name: `readers ${at}`, scopes: ['runs:read'] }),
      headers,
    );
    return withKey((JSON.parse(text) as { readonly key: string }).key);
  }),
);
await stack.client.deploy('workflow: told\nsteps:\n  - set: { a: 1 }\n');

const baton = (name: string, path: (runId: string) => string): Side => ({
  name,
  pid: stack.orchestrator.pid,
  headers,
  readerHeaders,
  turn: async () => {
    const runId = await stack.client.start('told');
    return { read: `${url}${path(runId)}`, write: `${url}/v1/runs/${runId}/signals/tick` };
  },
});
const sides: readonly Side[] = [
  {
    name: 'bare route',
    pid: bare.pid,
    headers: {},
    readerHeaders: [],
    turn: async () => ({ read: `${String(bare.ready['url'])}/events`, write: `${String(bare.ready['url'])}/event` }),
  },
  baton('one run', (runId) => `/v1/runs/${runId}/events`),
  baton('all runs', () => '/v1/events'),
];

const about = machine();
const measured = new Map<string, Turn[]>(sides.map(({ name }) => [name, []]));
for (let turn = 0; turn < turns; turn += 1) {
  for (const side of sides) measured.get(side.name)?.push(await measure(side));
}
const results = [...measured].map(([name, all]) => {
  const of = (key: keyof Turn): number => Number(median(all.map((one) => one[key])).toFixed(2));
  return { name, readers: count, p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuMicros: of('cpuMicros'), lost: of('lost') };
});
for (const { name, p50Ms, p99Ms, cpuMicros, lost } of results) {
  console.log(
    `${name}: ${count} readers, p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${cpuMicros} µs CPU a delivery, ${lost} lost`,
  );
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ machine: about, results }, undefined, 2));
await stack.close();
await bare.stop();
await services.close();
