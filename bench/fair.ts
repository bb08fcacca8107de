/**
 * What a small run of one key waits for while another key has large ones: alone, and beside them.
 *
 *   node bench/fair.ts [--runs 300] [--items 10000] [--small 20] [--json FILE]
 *
 * One orchestrator and one worker. The first key starts so many runs, each a loop that only computes, of a name of its own;
 * then the second key starts small runs of three steps, one after the other, and waits for each. The ratio is what counts:
 * the machine is as busy as it is.
 */
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';

import { machine } from './core/cpu.ts';
import { median } from './core/stats.ts';
import type { Ratio } from './report/ratios.ts';
import { openServices } from './services.ts';
import { poster } from './sides/restClient.ts';
import { startStack } from './sides/stack.ts';

const options = {
  runs: { type: 'string' },
  items: { type: 'string' },
  small: { type: 'string' },
  json: { type: 'string' },
} as const;
const { values } = parseArgs({ options });
const runs = Number(values.runs ?? 300);
const items = Number(values.items ?? 10_000);
const small = Number(values.small ?? 20);

const services = await openServices();
const stack = await startStack(services, { name: 'fair', redisUrl: services.redis?.url });
const url = String(stack.orchestrator.ready['url']);
const post = poster(new Agent({ keepAlive: true, maxSockets: 16 }));
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

async function newKey(name: string) {
  const body = JSON.stringify({ name, scopes: ['runs:write'] });
  const { text } = await post(`${url}/v1/keys`, body, withKey(stack.key));
  return withKey((JSON.parse(text) as { readonly key: string }).key);
}
const [greedy, modest] = [await newKey('greedy'), await newKey('modest')];

async function startLarge(at: number): Promise<void> {
  const workflow = `workflow: large-${at}\nsteps:\n  - forEach: "\${{ range(${items}) }}"\n    steps: [{ set: { a: "\${{ item }}" } }]\n`;
  const { status, text } = await post(`${url}/v1/runs`, JSON.stringify({ workflow }), greedy);
  if (status !== 202) throw new Error(text);
}

interface SmallRun {
  /** Until a worker took it, and until it was answered. */
  readonly begunMs: number;
  readonly endedMs: number;
}

async function runSmall(): Promise<SmallRun[]> {
  const all: SmallRun[] = [];
  for (let at = 0; at < small; at += 1) {
    const startMs = performance.now();
    const headers = { ...modest, prefer: 'wait=60' };
    const { status, text } = await post(`${url}/v1/runs`, JSON.stringify({ workflow: 'w3' }), headers);
    if (status !== 200) throw new Error(text);
    const { createdAt, startedAt } = JSON.parse(text) as { readonly createdAt: string; readonly startedAt: string };
    all.push({ begunMs: Date.parse(startedAt) - Date.parse(createdAt), endedMs: performance.now() - startMs });
  }
  return all;
}

const told = (all: readonly SmallRun[]) => ({
  begunMs: Math.round(median(all.map(({ begunMs }) => begunMs))),
  medianMs: Math.round(median(all.map(({ endedMs }) => endedMs))),
  p99Ms: Math.round(percentile99(all.map(({ endedMs }) => endedMs))),
  worstMs: Math.round(Math.max(...all.map(({ endedMs }) => endedMs))),
});

function percentile99(some: readonly number[]): number {
  const sorted = some.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
}

await runSmall();
const alone = told(await runSmall());
for (let at = 0; at < runs; at += 10) {
  await Promise.all(Array.from({ length: Math.min(10, runs - at) }, (_, more) => startLarge(at + more)));
}
const beside = told(await runSmall());
/** By how much the other key delays a small run. */
const delayMs = { median: beside.medianMs - alone.medianMs, worst: beside.worstMs - alone.medianMs };
const result = {
  runs,
  items,
  small,
  alone,
  beside,
  delayMs,
  ratio: Number((beside.medianMs / alone.medianMs).toFixed(1)),
};
console.log(JSON.stringify(result, undefined, 2));
const vsQuiet = beside.p99Ms / alone.p99Ms;
const ratio: Ratio = {
  name: 'fair.p99.vsQuiet',
  value: vsQuiet,
  min: vsQuiet,
  max: vsQuiet,
  target: 2,
  isBetterHigher: false,
};
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ machine: machine(), ...result, ratios: [ratio] }, undefined, 2));
await stack.close();
await services.close();
