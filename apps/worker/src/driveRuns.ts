/** The role *drive*: takes runs from the queue and drives them, on an open installation. */
import { type LifecycleBranch, type PartState, sweepOrphans } from '@baton/boot';
import { type Installation, openStatus } from '@baton/control/installation';
import { createModels } from '@baton/models';
import { unawaited } from '@baton/primitives';
import { cachedPlans } from '@baton/store';

import { toolAdmission } from './admission.ts';
import { CallsUnderWay } from './asking/callsUnderWay.ts';
import { serverHandlers } from './asking/serverHandlers.ts';
import { withKnownSecrets } from './secrets.ts';
import { reportServers } from './serverReport.ts';
import { type StartedWorker, startWorker } from './worker.ts';
import { workerMetrics } from './workerMetrics.ts';

type ReadyMessage = Readonly<Record<string, unknown>>;

/**
 * Resolves to what the process tells its supervisor when it is ready. While the fence stands, it takes no run; it begins
 * to when the fence is lifted. The lifecycle stops what it starts.
 */
export async function driveRuns(installation: Installation): Promise<ReadyMessage> {
  const { service, roles, store, readiness } = installation;
  const { settings, log } = service;
  const lifecycle = service.lifecycle.branch();
  for (const { pid, ownerPid } of await sweepOrphans(settings.BATON_DATA))
    log.warn({ pid, ownerPid }, 'ended an orphan of a dead worker');
  let worker: StartedWorker | undefined;
  readiness.add('worker', { state: () => stateOf(worker), isVital: !roles.includes('accept') });
  const address = await openStatus(installation, lifecycle);
  const start = workerOn(installation, lifecycle);
  const begin = async (): Promise<ReadyMessage> => {
    worker = await start();
    log.info(
      { worker: worker.id, concurrency: settings.BATON_CONCURRENCY, ...address },
      'the worker is ready for runs',
    );
    return { worker: worker.id, ...address };
  };
  if (store.history.warning() === undefined) return begin();
  log.warn('the worker takes no run until the fence is lifted');
  store.history.whenLifted(() => (lifecycle.stopping.aborted ? undefined : unawaited(begin())));
  return { fenced: true, ...address };
}

/** Returns what starts the worker, once. */
function workerOn(installation: Installation, lifecycle: LifecycleBranch): () => Promise<StartedWorker> {
  const { service, store, clock, queue, bus, stored, home, secrets, secretWatch, metrics, sessions, pace, budgets } =
    installation;
  const { settings, log, known, servers, tracing, version, env } = service;
  const ownMetrics = workerMetrics(metrics);
  const lookups = { env: (name: string) => env[name], secret: secrets.ofServer, workspaceFolder: servers.root };
  const models = createModels(servers.config.models ?? { providers: {} }, lookups, (usage) =>
    ownMetrics.countUsage(usage),
  );
  const underWay = new CallsUnderWay();
  const plans = cachedPlans(store);
  sessions.answerWith(serverHandlers({ underWay, models, journal: store.journal, plans, budgets, bus, clock, log }));
  return async () => {
    const worker = await startWorker({
      store,
      clock,
      secrets,
      known,
      queue,
      bus,
      stored,
      home,
      calls: withKnownSecrets(underWay.tracking(sessions.servers.calls), secretWatch),
      admit: toolAdmission({ store, servers: sessions.servers, config: servers.config, clock, log }),
      pace,
      budgets,
      models,
      log,
      lifecycle,
      version,
      concurrency: settings.BATON_CONCURRENCY,
      tracing,
      countEvents: (run, events) => ownMetrics.countEvents(run, events),
    });
    ownMetrics.watch(worker, settings.BATON_CONCURRENCY);
    lifecycle.closing('server report', reportServers({ store, worker: worker.id, servers: sessions.servers, log }));
    return worker;
  };
}

const away = (message: string): PartState => ({ status: 'away', message });

function stateOf(worker: StartedWorker | undefined): PartState {
  switch (worker?.state()) {
    case undefined:
      return away('It is starting.');
    case 'working':
      return { status: 'ok' };
    case 'late':
      return away('Its heartbeat is late: it makes no call until it is renewed.');
    case 'stopping':
      return away('It is stopping, and takes nothing new.');
  }
}
