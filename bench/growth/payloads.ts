/** Bytes: a call that answers with so many, and one that is given them. */
import { closedLoop } from '../core/loop.ts';
import { median } from '../core/stats.ts';
import type { Measuring } from './measuring.ts';
import { openStack } from './measuring.ts';

/** One letter, which is the same value each time, and lines like a log, which are others each time. */
const contents = [
  ...[1_000, 10_000, 100_000, 1_000_000, 10_000_000].map((bytes) => [bytes, 'letter'] as const),
  [10_000_000, 'log'],
] as const;

export async function payloads(measuring: Measuring): Promise<void> {
  const work = { ...measuring.services.tools, baton: { trust: true } };
  const { client } = await openStack(measuring, 'payloads', { servers: { work } });
  for (const [bytes, kind] of contents) {
    const name = `p-${kind}-${bytes}`;
    await client.deploy(workflowFor(name, bytes, kind));
    const times: number[] = [];
    for (let round = 0; round < measuring.rounds; round += 1) {
      times.push((await closedLoop({ concurrency: 1, forMs: 1_000 }, () => client.run(name))).p50Ms);
    }
    measuring.tell({ name: 'payload', bytes, kind, p50Ms: Number(median(times).toFixed(1)) });
  }
}

const workflowFor = (name: string, bytes: number, kind: string): string =>
  [
    `workflow: ${name}`,
    'steps:',
    `  - { id: a, tool: work/huge, effect: read, with: { bytes: ${bytes}, kind: ${kind} } }`,
    '  - { id: b, tool: work/echo, effect: write, with: { message: "${{ steps.a.text }}" } }',
    '',
  ].join('\n');
