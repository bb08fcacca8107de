/**
 * The worker takes runs from the queue and drives them. Any number of workers, on any machines, share one Postgres.
 * Their only lasting state is the journal.
 */
import { Metrics, startService, sweepOrphans } from '@baton/boot';
import { openInstallation, openSessions } from '@baton/control/installation';
import { deviceRelayKey, relayedDevices } from '@baton/devices';
import { createModels, ModelsConfig } from '@baton/models';
import { defined } from '@baton/primitives';
import { cachedPlans, secretLookup, storedAuthorizations } from '@baton/store';
import { HttpClient } from '@baton/transports';

import manifest from '../package.json' with { type: 'json' };
import { toolAdmission } from './admission.ts';
import { CallsUnderWay } from './asking/callsUnderWay.ts';
import { serverHandlers } from './asking/serverHandlers.ts';
import { withKnownSecrets } from './secrets.ts';
import { reportServers } from './serverReport.ts';
import { openWorkerStatus } from './status.ts';
import { startWorker } from './worker.ts';
import { workerMetrics } from './workerMetrics.ts';

const { version } = manifest;
const anywhere = ['0.0.0.0/0', '::/0'];
const service = await startService('worker', { version, env: process.env });
const { settings, log, known, lifecycle, servers, tracing, secretKey } = service;
for (const { pid, ownerPid } of await sweepOrphans(settings.BATON_DATA))
  log.warn({ pid, ownerPid }, 'ended an orphan of a dead worker');

const installation = await openInstallation(service, ['drive']);
const { store, clock, queue, bus, vault, secrets } = installation;
// Devices connect to the orchestrator; workers call them through it.
const devices =
  settings.BATON_DEVICE_PORT === undefined
    ? undefined
    : relayedDevices({
        url: new URL('/internal/devices', settings.BATON_URL ?? `http://127.0.0.1:${settings.BATON_PORT}`).href,
        key: deviceRelayKey(secretKey),
        // The orchestrator is a process of this installation, so every address is allowed.
        openHttp: (limits) => new HttpClient({ ...limits, addresses: { loopback: true, networks: anywhere } }),
      });
const models = createModels(ModelsConfig.parse(servers.config.models ?? {}), {
  env: (name) => process.env[name],
  secret: secretLookup(store, vault),
  workspaceFolder: servers.root,
});
const metrics = new Metrics();
const ownMetrics = workerMetrics(metrics);
const underWay = new CallsUnderWay();
const sessions = openSessions(service, installation, {
  environment: process.env,
  version,
  // Workers only refresh tokens; people log in at the orchestrator.
  oauth: { store: storedAuthorizations(store, vault, 'worker') },
  handlers: serverHandlers({ underWay, models, journal: store.journal, plans: cachedPlans(store), bus, clock, log }),
  metrics,
  ...defined({ devices }),
});
const status = await openWorkerStatus({ settings, metrics, store, clock, queue });
if (status !== undefined) lifecycle.closing('metrics', status);
const concurrency = settings.BATON_CONCURRENCY;
const metricsAddress = status === undefined ? {} : { metrics: `${status.url}/metrics` };
if (store.history.warning() !== undefined) {
  log.warn('the worker takes no run until the fence is lifted');
  lifecycle.ready({ fenced: true, ...metricsAddress });
  await new Promise<void>((resolve) => store.history.whenLifted(resolve));
}
const worker = await startWorker({
  store,
  clock,
  vault,
  known,
  queue,
  bus,
  calls: withKnownSecrets(underWay.tracking(sessions.calls), secrets),
  admit: toolAdmission({ store, servers: sessions, config: servers.config, clock, log }),
  models,
  log,
  lifecycle,
  version,
  concurrency,
  tracing,
  countEvents: (events) => ownMetrics.countEvents(events),
});
ownMetrics.watch(worker, concurrency);
status?.begin(worker);
lifecycle.closing('server report', reportServers({ store, worker: worker.id, servers: sessions, log }));
log.info({ worker: worker.id, concurrency, ...metricsAddress }, 'the worker is ready for runs');
lifecycle.ready({ worker: worker.id, ...metricsAddress });
