/**
 * A hundred worker processes and ten orchestrators on one Postgres and one Redis: messages, commits, connections and CPU
 * per second, beside what docs/measurements.md calculates; then half of the workers is killed at once.
 *
 *   node bench/hundred.ts [--workers 100] [--orchestrators 10] [--in-flight 50] [--tool-ms 2000] [--steps 10]
 *     [--seconds 60] [--kill 50] [--json FILE]
 *
 * Each worker has its own stdio server, whose tool answers after `--tool-ms`. A run is `--steps` such calls, each a write.
 * As many runs are kept unfinished as the workers may drive at the same time. A hundred workers need about 14 GiB and
 * a minute to start; two processors carry `--in-flight 3`. `--workers 6 --orchestrators 2 --in-flight 10 --seconds 10 --kill 3` is a try.
 *
 * `latenessMs`: what a step took beyond its tool, from its start to its end on record. `takeover`: how long the runs of
 * the killed workers stood still, and what became of them.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Client } from 'pg';

import { build } from '../tests/builtApps.ts';
import { machine } from './core/cpu.ts';
import { parseOptions } from './core/parseOptions.ts';
import { Feeding } from './fleet/feeding.ts';
import { modelOf } from './fleet/model.ts';
import { FleetMeter, memoryOf, usedBetween } from './fleet/reading.ts';
import { latenessBetween, takeover } from './fleet/takeover.ts';
import { openServices } from './services.ts';
import { startStack } from './sides/stack.ts';

const { values } = parseOptions({
  options: {
    workers: { type: 'string', default: '100' },
    orchestrators: { type: 'string', default: '10' },
    'in-flight': { type: 'string', default: '50' },
    'tool-ms': { type: 'string', default: '2000' },
    steps: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
    kill: { type: 'string', default: '50' },
    json: { type: 'string' },
  },
});
const [workers, orchestrators, inFlight, toolMs, steps, seconds, kill] = [
  values.workers,
  values.orchestrators,
  values['in-flight'],
  values['tool-ms'],
  values.steps,
  values.seconds,
  values.kill,
].map(Number) as [number, number, number, number, number, number, number];
/** Postgres has a process for each connection: five for a worker as a rule, thirteen at most. */
const connections = 100 + 13 * (workers + orchestrators);

const workflow = [
  'workflow: slow',
  'steps:',
  ...Array.from({ length: steps }, (_, step) => {
    return `  - { id: s${step + 1}, tool: tools/stubborn, effect: write, ifUnknown: retry, with: { ms: ${toolMs} } }`;
  }),
].join('\n');

const say = (line: string): void => void process.stderr.write(`hundred: ${line}\n`);
const found: Record<string, unknown> = { machine: machine(), workers, orchestrators, inFlight, toolMs, steps };
const tell = (name: string, figure: unknown): void => {
  found[name] = figure;
  console.log(JSON.stringify({ [name]: figure }));
};

/** So many at a time that the machine is busy and none waits for its turn for minutes. */
async function inTurns(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const turns = Array.from({ length: availableParallelism() + 1 }, async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  });
  await Promise.all(turns);
}

const stops: (() => Promise<unknown>)[] = [];
// Processes that end with this one are ended when it is told to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  const services = await openServices({ connections });
  stops.push(() => services.close());
  const stack = await startStack(services, {
    name: 'hundred',
    redisUrl: services.redis?.url,
    workers: 0,
    servers: { tools: { ...services.tools, baton: { trust: true } } },
    built: await build(),
    env: { BATON_CONCURRENCY: String(inFlight), NODE_COMPILE_CACHE: join(services.folder, 'compiled') },
  });
  stops.push(() => stack.close());
  await stack.client.deploy(workflow);
  say(`starting ${orchestrators} orchestrators and ${workers} workers`);
  await inTurns(orchestrators - 1, () => stack.addOrchestrator());
  await inTurns(workers, () => stack.addWorker());
  const database = new Client(stack.databaseUrl);
  await database.connect();
  stops.push(() => database.end());
  const meter = new FleetMeter(services, database);
  stops.push(async () => meter.close());
  const all = [stack.orchestrator, ...stack.orchestrators];
  const pids = { workers: stack.workers.map(({ pid }) => pid), orchestrators: all.map(({ pid }) => pid) };
  tell('memoryMiB', { worker: memoryOf(pids.workers), orchestrator: memoryOf(pids.orchestrators) });
  const quiet = await meter.read(pids);
  await sleep(Math.min(10, seconds) * 1_000);
  tell('idle', usedBetween(quiet, await meter.read(pids)));

  let wanted = workers * inFlight;
  const urls = all.map(({ ready }) => String(ready['url']));
  const feeding = new Feeding({ database, urls, key: stack.key, workflow: 'slow', wanted: () => wanted });
  stops.push(() => feeding.stop());
  say('filling');
  const isFullBy = performance.now() + 120_000;
  while ((await feeding.unfinished()) < wanted * 0.9 && performance.now() < isFullBy) await sleep(250);
  // The first runs begin together, and end together: after some rounds they are spread.
  await sleep(2 * toolMs);
  say('measuring');
  const since = Date.now();
  const before = await meter.read(pids);
  await sleep(seconds * 1_000);
  const after = await meter.read(pids);
  const lateness = await latenessBetween(database, { since, until: Date.now(), toolMs });
  const size = { workers, orchestrators, inFlight, toolSeconds: toolMs / 1_000 };
  tell('model', modelOf(size));
  tell('measured', {
    ...usedBetween(before, after),
    steps: Math.round(lateness.steps / seconds),
    latenessMs: lateness.ms,
    unfinished: await feeding.unfinished(),
    refused: feeding.refused,
    connections: await meter.connections(),
    memoryMiB: { worker: memoryOf(pids.workers), orchestrator: memoryOf(pids.orchestrators) },
  });
  if (kill > 0) {
    say(`killing ${kill} of ${workers} workers at once`);
    const victims = pids.workers.slice(0, kill);
    wanted = (workers - kill) * inFlight;
    tell('takeover', await takeover(database, victims, { patienceMs: 180_000 + 10 * toolMs }));
  }
} finally {
  for (const stop of stops.toReversed()) await stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
