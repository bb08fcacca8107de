/** Bytes: a call that answers with so many, and one that is given them. */
import { closedLoop } from '../core/loop.ts';
import { median } from '../core/stats.ts';
import type { Measuring } from './measuring.ts';
import { openStack } from './measuring.ts';

const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];

export async function payloads(measuring: Measuring): Promise<void> {
  const work = { ...measuring.services.tools, baton: { trust: true } };
  const { client } = await openStack(measuring, 'payloads', { servers: { work } });
  for (const bytes of sizes) {
    const name = `p${bytes}`;
    await client.deploy(workflowFor(name, bytes));
    const times: number[] = [];
    for (let round = 0; round < measuring.rounds; round += 1) {
      times.push((await closedLoop({ concurrency: 1, forMs: 1_000 }, () => client.run(name))).p50Ms);
    }
    measuring.tell({ name: 'payload', bytes, p50Ms: Number(median(times).toFixed(1)) });
  }
}

const workflowFor = (name: string, bytes: number): string =>
  [
    `workflow: ${name}`,
    'steps:',
    `  - { id: a, tool: work/huge, effect: read, with: { bytes: ${bytes} } }`,
    '  - { id: b, tool: work/echo, effect: write, with: { message: "${{ steps.a.text }}" } }',
    '',
  ].join('\n');
