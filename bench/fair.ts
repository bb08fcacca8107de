/**
 * What a small run of one key waits for while another key has many: alone, and beside them.
 *
 *   node bench/fair.ts [--runs 300] [--items 10000] [--queued 99000] [--small 300] [--only fair|fairQueued] [--json FILE]
 *
 * One orchestrator and one worker, twice. The first key starts `--runs` large runs, each a loop that only computes, of a
 * name of its own; the other time `--queued` runs of three steps, while there is no worker, and then a worker comes.
 * Meanwhile the second key starts small runs of three steps, one after the other, and waits for each. The ratio is what
 * counts: the machine is as busy as it is.
 */
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';

import { machine } from './core/cpu.ts';
import { parseOptions } from './core/parseOptions.ts';
import { median } from './core/stats.ts';
import type { Ratio } from './report/ratios.ts';
import { openServices } from './services.ts';
import { poster } from './sides/restClient.ts';
import { type Stack, startStack } from './sides/stack.ts';

const options = {
  runs: { type: 'string', default: '300' },
  items: { type: 'string', default: '10000' },
  // Intake takes 100,000.
  queued: { type: 'string', default: '99000' },
  small: { type: 'string', default: '300' },
  only: { type: 'string' },
  json: { type: 'string' },
} as const;
const { values } = parseOptions({ options });
const [runs, items, queued, small] = [values.runs, values.items, values.queued, values.small].map(Number) as [
  number,
  number,
  number,
  number,
];
/** Requests of the greedy key at a time. */
const inFlight = 24;

interface SmallRun {
  /** Until a worker took it, and until it was answered. */
  readonly begunMs: number;
  readonly endedMs: number;
}

/** The greedy key and the modest one, on one stack. */
class TwoKeys {
  readonly #url: string;
  readonly #post = poster(new Agent({ keepAlive: true, maxSockets: 2 * inFlight }));
  readonly #key: string;

  constructor(stack: Stack) {
    this.#url = String(stack.orchestrator.ready['url']);
    this.#key = stack.key;
  }

  async newKey(name: string): Promise<string> {
    return (JSON.parse(await this.#ask('/v1/keys', { name, scopes: ['runs:write'] }, 201)) as { key: string }).key;
  }

  async start(key: string, workflow: string): Promise<void> {
    await this.#ask('/v1/runs', { workflow }, 202, { authorization: `Bearer ${key}` });
  }

  async runSmall(key: string): Promise<SmallRun[]> {
    const all: SmallRun[] = [];
    for (let at = 0; at < small; at += 1) {
      const startMs = performance.now();
      const headers = { authorization: `Bearer ${key}`, prefer: 'wait=60' };
      const text = await this.#ask('/v1/runs', { workflow: 'w3' }, 200, headers);
      const { createdAt, startedAt } = JSON.parse(text) as { readonly createdAt: string; readonly startedAt: string };
      all.push({ begunMs: Date.parse(startedAt) - Date.parse(createdAt), endedMs: performance.now() - startMs });
    }
    return all;
  }

  async #ask(path: string, body: object, wanted: number, headers: Readonly<Record<string, string>> = {}) {
    const own = { authorization: `Bearer ${this.#key}`, ...headers };
    const { status, text } = await this.#post(`${this.#url}${path}`, JSON.stringify(body), own);
    if (status !== wanted) throw new Error(text);
    return text;
  }
}

const large = (at: number): string =>
  `workflow: large-${at}\nsteps:\n  - forEach: "\${{ range(${items}) }}"\n    steps: [{ set: { a: "\${{ item }}" } }]\n`;

const percentile = (some: readonly number[], part: number): number =>
  some.toSorted((a, b) => a - b)[Math.ceil(some.length * part) - 1] ?? Number.NaN;

const told = (all: readonly SmallRun[]) => ({
  begunMs: Math.round(median(all.map(({ begunMs }) => begunMs))),
  medianMs: Math.round(median(all.map(({ endedMs }) => endedMs))),
  p99Ms: Math.round(
    percentile(
      all.map(({ endedMs }) => endedMs),
      0.99,
    ),
  ),
  worstMs: Math.round(Math.max(...all.map(({ endedMs }) => endedMs))),
});

const services = await openServices();

/** What the greedy key starts, before the small runs are measured. */
interface Greed {
  readonly name: string;
  readonly workflows: readonly string[];
  /** Whether the worker is away until all are queued: otherwise it would be done with them. */
  readonly areQueuedFirst: boolean;
}

async function besideMany({ name, workflows, areQueuedFirst }: Greed) {
  const stack = await startStack(services, { name, redisUrl: services.redis?.url });
  const keys = new TwoKeys(stack);
  const [greedy, modest] = [await keys.newKey('greedy'), await keys.newKey('modest')];
  await keys.runSmall(modest);
  const alone = told(await keys.runSmall(modest));
  if (areQueuedFirst) for (const worker of stack.workers) await worker.stop();
  const left = [...workflows];
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await keys.start(greedy, next);
    }),
  );
  if (areQueuedFirst) await stack.addWorker();
  await keys.runSmall(modest);
  const beside = told(await keys.runSmall(modest));
  await stack.close();
  const vsQuiet = beside.p99Ms / alone.p99Ms;
  const ratio: Ratio = {
    name: `${name}.p99.vsQuiet`,
    value: vsQuiet,
    min: vsQuiet,
    max: vsQuiet,
    target: 2,
    isBetterHigher: false,
  };
  console.log(JSON.stringify({ [name]: { alone, beside, vsQuiet: Number(vsQuiet.toFixed(2)) } }, undefined, 2));
  return { name, alone, beside, ratio };
}

const greeds: readonly Greed[] = [
  { name: 'fair', workflows: Array.from({ length: runs }, (_, at) => large(at)), areQueuedFirst: false },
  { name: 'fairQueued', workflows: Array.from({ length: queued }, () => 'w3'), areQueuedFirst: true },
];
const all = [];
for (const greed of greeds) if (greed.name === (values.only ?? greed.name)) all.push(await besideMany(greed));
await services.close();
if (values.json !== undefined) {
  const result = { machine: machine(), runs, items, queued, small, all, ratios: all.map(({ ratio }) => ratio) };
  writeFileSync(values.json, JSON.stringify(result, undefined, 2));
}
