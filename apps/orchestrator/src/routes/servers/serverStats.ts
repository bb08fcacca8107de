/** Statistics of a server: from each process, and from the calls of the latest runs. */
import { hostname } from 'node:os';

import { type ServerStats, routes } from '@baton/api';
import { readsAllRuns, percentile } from '@baton/control';
import { calledName } from '@baton/engine';
import { defined } from '@baton/primitives';
import { type ServerSight, type ServerStatus, serverSight } from '@baton/protocol';
import { liveness } from '@baton/runner';
import { type RecordedCall, type Store, type WorkerSummary, callsOfRuns, listWorkers, runIds } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';

export interface ServerStatsOptions {
  readonly store: Store;
  /** Throws `ProblemError` for an unknown server. */
  readonly statusOf: (name: string) => ServerStatus;
}

type ProcessSight = ServerStats['processes'][number];

const runsMax = 200;
const callsMax = 2_000;

export function serverStatsRoute(app: App, { store, statusOf }: ServerStatsOptions): void {
  route(app, routes.getServerStats, async ({ params: { name: given }, principal }) => {
    const { workflows } = principal;
    const status = statusOf(given);
    const { name } = status;
    const reached = workflows && { workflows: [...workflows] };
    const { ids } = await runIds(store, { server: name, ...reached }, { limit: runsMax });
    const calls = await callsOfRuns(store, { server: name }, ids, callsMax);
    const workers = await listWorkers(store, liveness.silentMs);
    // A process that also drives has one pool of sessions, and knows it better than its last report does.
    const own = workers.find(isThisProcess)?.id ?? 'orchestrator';
    const others = workers.filter((worker) => !isThisProcess(worker));
    const sights = [toProcessSight(own, serverSight(status)), ...seenByWorkers(others, name)];
    const processes = readsAllRuns(principal) ? sights : sights.map(withoutWords);
    return {
      name,
      // Load is of the runs of all workflows.
      processes: workflows === undefined ? processes : [],
      calls: calls.length,
      tools: toolsIn(calls),
    };
  });
}

const isThisProcess = ({ host, pid }: WorkerSummary): boolean => host === hostname() && pid === process.pid;

const seenByWorkers = (workers: readonly WorkerSummary[], name: string): ProcessSight[] =>
  workers.flatMap(({ id, servers = [] }) =>
    (servers as unknown as readonly ServerSight[])
      .filter((one) => one.name === name)
      .map((one) => toProcessSight(id, one)),
  );

const withoutWords = ({ stderr: _stderr, lastError: _lastError, ...sight }: ProcessSight): ProcessSight => sight;

const toProcessSight = (process: string, { name: _name, ...sight }: ServerSight): ProcessSight => ({
  process,
  ...sight,
});

/** Ordered by name. */
function toolsIn(calls: readonly RecordedCall[]): ServerStats['tools'] {
  const byTool = Map.groupBy(calls, ({ call }) => calledName(call) ?? '');
  return [...byTool]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([tool, own]) => {
      const durations = own.flatMap(({ at, end }) => (end === undefined ? [] : end.at - at));
      const [p50Ms, p95Ms] = [0.5, 0.95].map((part) => percentile(durations, part));
      return {
        tool,
        calls: own.length,
        ...defined({ p50Ms, p95Ms }),
        outcomes: countedBy(own.map(({ end }) => end?.outcome ?? 'under-way')),
        errors: countedBy(own.flatMap(({ end }) => end?.code ?? [])),
      };
    });
}

function countedBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
