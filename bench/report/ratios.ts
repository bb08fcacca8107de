/** What is compared with what. Ratios are of one round each, and so outlive a machine that drifts. */
import { type Spread, spread } from '../core/stats.ts';
import type { Figure } from './measure.ts';

type Metric = 'runsPerSecond' | 'p50Ms' | 'cpuMsPerStep';

interface Comparison {
  readonly name: string;
  readonly workload: string;
  readonly concurrency: number;
  readonly metric: Metric;
  /** `system@backend`, or the system alone. */
  readonly of: string;
  readonly beside: string;
  /** What is aimed at: at least for throughput, at most for time and CPU. */
  readonly target?: number;
}

export interface Ratio extends Spread {
  readonly name: string;
  readonly target?: number;
  readonly isBetterHigher: boolean;
}

const busy = { workload: 'w3', concurrency: 50, metric: 'runsPerSecond' } as const;
const queue = 'baton-queue@postgres+redis';
const rest = 'baton-rest@postgres+redis';
const server = 'baton-server@postgres+redis';
const serverAlone = 'baton-server@postgres';

const comparisons: readonly Comparison[] = [
  { name: 'throughput.w3.c50.vsFloor', ...busy, of: queue, beside: 'floor', target: 0.6 },
  { name: 'throughput.w3.c50.vsByHandRun', ...busy, of: queue, beside: 'by-hand-run' },
  { name: 'throughput.w3.c50.vsByHandStep', ...busy, of: queue, beside: 'by-hand-step' },
  { name: 'throughput.w3.c50.vsRestate', ...busy, of: queue, beside: 'restate', target: 4 },
  { name: 'throughput.w3.c50.vsMastra', ...busy, of: queue, beside: 'mastra', target: 4 },
  { name: 'throughput.w3.c50.vsDbos', ...busy, of: queue, beside: 'dbos', target: 9 },
  { name: 'throughput.w3.c50.rest.vsRestate', ...busy, of: rest, beside: 'restate' },
  { name: 'throughput.w3.c50.rest.vsMastra', ...busy, of: rest, beside: 'mastra' },
  { name: 'throughput.w3.c50.rest.vsDbos', ...busy, of: rest, beside: 'dbos' },
  { name: 'throughput.w3.c50.rest.vsRestateHttp', ...busy, of: rest, beside: 'restate', target: 4 },
  { name: 'throughput.w3.c50.rest.vsMastraHttp', ...busy, of: rest, beside: 'mastra-http', target: 4 },
  { name: 'throughput.w3.c50.rest.vsDbosHttp', ...busy, of: rest, beside: 'dbos-http', target: 6 },
  { name: 'throughput.w3.c50.rest.vsFloorHttp', ...busy, of: rest, beside: 'floor-http', target: 0.9 },
  { name: 'throughput.w3.c50.server.vsFloorHttp', ...busy, of: server, beside: 'floor-http', target: 1.1 },
  { name: 'throughput.w3.c50.server.vsRestateHttp', ...busy, of: server, beside: 'restate', target: 4 },
  { name: 'throughput.w3.c50.server.vsMastraHttp', ...busy, of: server, beside: 'mastra-http', target: 4.5 },
  { name: 'throughput.w3.c50.server.vsDbosHttp', ...busy, of: server, beside: 'dbos-http', target: 8 },
  { name: 'throughput.w3.c50.server.vsApart', ...busy, of: server, beside: rest },
  { name: 'throughput.w3.c50.server.noRedis', ...busy, of: serverAlone, beside: server, target: 0.95 },
  { name: 'throughput.w3.c50.rest.vsQueue', ...busy, of: rest, beside: queue, target: 0.75 },
  { name: 'cpu.w3.c50.server.vsApart', ...busy, metric: 'cpuMsPerStep', of: server, beside: rest },
  {
    name: 'latency.w3.idle.server.vsRestate',
    workload: 'w3',
    concurrency: 1,
    metric: 'p50Ms',
    of: server,
    beside: 'restate',
    target: 0.45,
  },
  {
    name: 'throughput.w3.c50.embedded.rest.vsRestateHttp',
    ...busy,
    of: 'baton-rest@postgres',
    beside: 'restate',
    target: 2.5,
  },
  { name: 'throughput.w3.c50.embedded.vsDbos', ...busy, of: 'baton-queue@postgres', beside: 'dbos', target: 2 },
  { name: 'throughput.w3.c50.embedded.rest.vsDbos', ...busy, of: 'baton-rest@postgres', beside: 'dbos' },
  {
    name: 'latency.w3.idle.vsRestate',
    workload: 'w3',
    concurrency: 1,
    metric: 'p50Ms',
    of: rest,
    beside: 'restate',
    target: 0.6,
  },
  {
    name: 'latency.w3.idle.rest.vsRestate',
    workload: 'w3',
    concurrency: 1,
    metric: 'p50Ms',
    of: rest,
    beside: 'restate',
    target: 0.5,
  },
  {
    name: 'latency.w10read.idle.vsFloor',
    workload: 'w10read',
    concurrency: 1,
    metric: 'p50Ms',
    of: queue,
    beside: 'floor',
    target: 0.6,
  },
  {
    name: 'cpu.step.vsFloor',
    workload: 'w10',
    concurrency: 50,
    metric: 'cpuMsPerStep',
    of: queue,
    beside: 'floor',
    target: 1.6,
  },
  {
    name: 'start.rest.vsBareRoute',
    workload: 'w3',
    concurrency: 50,
    metric: 'runsPerSecond',
    of: 'baton-start',
    beside: 'bare-route',
    target: 0.8,
  },
];

export function ratiosOf(figures: readonly Figure[]): readonly Ratio[] {
  return comparisons.flatMap(({ name, of, beside, metric, target, workload, concurrency }): Ratio[] => {
    const found = (system: string, round: number): number | undefined =>
      figures.find(
        (one) =>
          (one.system === system || `${one.system}@${one.backend}` === system) &&
          one.workload === workload &&
          one.concurrency === concurrency &&
          one.round === round,
      )?.[metric];
    const rounds = new Set(figures.map(({ round }) => round));
    const all = [...rounds].flatMap((round) => {
      const [above, below] = [found(of, round), found(beside, round)];
      return above === undefined || below === undefined || below === 0 ? [] : [above / below];
    });
    const aim = target === undefined ? {} : { target };
    return all.length === 0 ? [] : [{ name, ...spread(all), ...aim, isBetterHigher: metric === 'runsPerSecond' }];
  });
}

export const isReached = ({ value, target, isBetterHigher }: Ratio): boolean =>
  target === undefined || (isBetterHigher ? value >= target : value <= target);

/** Those that are worse by more than 15 % than what is stored, by name. */
export function regressions(ratios: readonly Ratio[], stored: Readonly<Record<string, number>>): readonly string[] {
  return ratios.flatMap(({ name, value, isBetterHigher }) => {
    const before = stored[name];
    if (before === undefined) return [];
    const worse = isBetterHigher ? 1 - value / before : value / before - 1;
    return worse > 0.15 ? [`${name}: ${value.toFixed(2)}, was ${before.toFixed(2)}`] : [];
  });
}
