/** Runs that wait for something: what they cost while nothing happens, and what they leave in memory. */
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { cpuMs, residentBytes } from '../core/cpu.ts';
import type { Stack } from '../sides/stack.ts';
import { storeWaitingRuns } from '../sides/storeRuns.ts';
import { type Measuring, openStack, ratioOf, short, startMany } from './measuring.ts';

const lookMs = 10_000;
const begun = 10_000;

export async function waiting(measuring: Measuring): Promise<void> {
  const { services, tell, promise, rounds } = measuring;
  const stack = await openStack(measuring, 'waiting');
  await stack.client.deploy('workflow: waits\nsteps:\n  - { id: s, wait: { signal: go } }\n');
  const pids = [stack.orchestrator.pid, ...stack.workers.map(({ pid }) => pid)];
  const counted = {
    pids: services.redis === undefined ? pids : [...pids, services.redis.pid],
    trees: [services.postgres.pid],
  };
  const share = async (): Promise<number> => {
    const [before, from] = [cpuMs(counted), performance.now()];
    await sleep(lookMs);
    return (cpuMs(counted) - before) / (performance.now() - from);
  };
  await sleep(5_000);
  tell({ name: 'idle', waiting: 0, shareOfACore: Number((await share()).toFixed(4)) });
  // The second and third time, memory that was merely not collected yet is there already.
  const first = pids.map(residentBytes);
  for (const time of [1, 2, 3]) {
    await startMany(stack, 'waits', begun);
    await untilAllWait(stack);
    const mib = pids.map((pid, i) => Math.round((residentBytes(pid) - (first[i] ?? 0)) / 2 ** 20));
    tell({ name: 'memory', waiting: begun * time, orchestratorMiB: mib[0], workerMiB: mib[1] });
  }
  await storeWaitingRuns(stack.databaseUrl, measuring.waiting - 3 * begun);
  await sleep(5_000);
  const shares: number[] = [];
  for (let round = 0; round < rounds; round += 1) shares.push(await share());
  promise(ratioOf(`idle.waiting.${short(measuring.waiting)}`, shares, { target: 0.05, isBetterHigher: false }));
}

async function untilAllWait({ databaseUrl }: Stack): Promise<void> {
  const sql = new Client(databaseUrl);
  await sql.connect();
  for (let isDone = false; !isDone; await sleep(200)) {
    const { rows } = await sql.query<{ n: string }>(`select count(*) as n from run where status <> 'waiting'`);
    isDone = rows[0]?.n === '0';
  }
  await sql.end();
}
