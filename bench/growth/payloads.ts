/** Bytes: a call that answers with so many, and one that is given them. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { closedLoop } from '../core/loop.ts';
import { median } from '../core/stats.ts';
import { passingServer } from '../services.ts';
import { type Measuring, openStack } from './measuring.ts';

/** One letter, which is the same value each time, and lines like a log, which are others each time. */
const contents = [
  ...[1_000, 10_000, 100_000, 1_000_000, 10_000_000].map((bytes) => [bytes, 'letter', 'write'] as const),
  [10_000_000, 'letter', 'read'],
  [10_000_000, 'log', 'read'],
  [10_000_000, 'log', 'write'],
] as const;

/** Tells `runMs`, over REST from start to end, and `betweenMs`, from the first answer to the request with its value. */
export async function payloads(measuring: Measuring): Promise<void> {
  const times = join(measuring.services.folder, 'passing');
  const work = { ...passingServer(times), baton: { trust: true } };
  const { client } = await openStack(measuring, 'payloads', { servers: { work } });
  for (const [bytes, kind, effect] of contents) {
    const name = `p-${kind}-${effect}-${bytes}`;
    await client.deploy(workflowFor(name, { bytes, kind, effect }));
    for (let warm = 0; warm < 3; warm += 1) await client.run(name);
    rmSync(times);
    const runMs: number[] = [];
    for (let round = 0; round < measuring.rounds; round += 1) {
      runMs.push((await closedLoop({ concurrency: 1, forMs: 1_500 }, () => client.run(name))).p50Ms);
    }
    const betweenMs = readFileSync(times, 'utf8').trim().split('\n').map(Number);
    const told = { runMs: Number(median(runMs).toFixed(1)), betweenMs: Number(median(betweenMs).toFixed(1)) };
    measuring.tell({ name: 'payload', bytes, kind, effect, ...told });
  }
}

const workflowFor = (name: string, { bytes, kind, effect }: { bytes: number; kind: string; effect: string }): string =>
  [
    `workflow: ${name}`,
    'steps:',
    `  - { id: a, tool: work/make, effect: read, with: { bytes: ${bytes}, kind: ${kind} } }`,
    `  - { id: b, tool: work/take, effect: ${effect}, with: { message: "\${{ steps.a.text }}" } }`,
    '',
  ].join('\n');
