/**
 * The worker takes runs from the queue and drives them. Any number of workers, on any machines, share one Postgres.
 * Their only lasting state is the journal.
 */
import { cannotUse, Metrics, ownerMark, startService, sweepOrphans, toldAs } from '@baton/boot';
import { deviceRelayKey, relayedDevices } from '@baton/devices';
import { createModels, ModelsConfig } from '@baton/models';
import { defined, Outage } from '@baton/primitives';
import { type TroubleHandler, EvictionError, openQueue } from '@baton/queue';
import { SharedClock, systemClock } from '@baton/runner';
import {
  cachedPlans,
  claimMarks,
  databaseTime,
  installationId,
  MarksError,
  migrate,
  NotifyBus,
  openStore,
  queueSession,
  secretLookup,
  SecretWatch,
  storedAuthorizations,
  Vault,
  watchHistory,
} from '@baton/store';
import { HttpClient, openServers, serverMetrics } from '@baton/transports';

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
const { settings, log, known, lifecycle, databaseUrl, servers, tracing, secretKey, onTrouble, onBack } = service;
const installation = settings.BATON_DATA;
for (const { pid, ownerPid } of await sweepOrphans(installation))
  log.warn({ pid, ownerPid }, 'ended an orphan of a dead worker');

await migrate(databaseUrl, { onWait: (told) => log.warn(told) }).catch(cannotUse('Postgres', 'DATABASE_URL'));
const outage = new Outage((awayMs) => onBack('Postgres', awayMs));
const onBroken = (error: Error): void => {
  outage.begin();
  onTrouble('a connection to Postgres broke', error);
};
const store = lifecycle.closing(
  'store',
  openStore({
    url: databaseUrl,
    secretKey,
    now: (): number => clock.now(),
    onTrouble: onBroken,
    onRewound: (message) => log.error(message),
  }),
);
const clock = lifecycle.closing(
  'clock',
  await SharedClock.start({
    readTime: () => databaseTime(store),
    own: systemClock,
    onAnswer: (hasAnswered) => (hasAnswered ? outage.end() : outage.begin()),
    onWarning: (what) => log.warn(what ?? 'The clock of this machine is that of Postgres again.'),
  }),
);
const { BATON_SECRET_KEY_BEFORE: before } = settings;
await claimMarks(store, { before, memory: service.marks }).catch(toldAs(MarksError));
const onQueueTrouble: TroubleHandler = (_what, error, count, message) => onTrouble(message, error, count);
const queue = lifecycle.closing(
  'queue',
  await openQueue({
    redisUrl: settings.REDIS_URL,
    databaseUrl,
    databaseSession: queueSession,
    installationId: await installationId(store),
    onTrouble: onQueueTrouble,
    onBack: (awayMs) => onBack('Redis', awayMs),
  }).catch(toldAs(EvictionError)),
);
const bus = lifecycle.closing('bus', queue.bus ?? (await NotifyBus.open({ pool: store.pool, url: databaseUrl })));
const vault = new Vault(secretKey, settings.BATON_SECRET_KEY_BEFORE);
const secret = secretLookup(store, vault);
const secrets = lifecycle.closing('secrets', await SecretWatch.open(store, vault, known));
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
  secret,
  workspaceFolder: servers.root,
});
const metrics = new Metrics();
const sessionMetrics = serverMetrics(metrics);
const ownMetrics = workerMetrics(metrics);
const underWay = new CallsUnderWay();
const sessions = openServers(servers.config, {
  clock,
  environment: process.env,
  secret,
  root: servers.root,
  version,
  addresses: { loopback: true, networks: settings.BATON_SERVER_NETWORKS },
  mark: ownerMark(installation),
  // Workers only refresh tokens; people log in at the orchestrator.
  oauth: { store: storedAuthorizations(store, vault, 'worker') },
  handlers: serverHandlers({
    underWay,
    models,
    journal: store.journal,
    plans: cachedPlans(store),
    bus,
    clock,
    log,
  }),
  measures: sessionMetrics.measures,
  known,
  ...defined({ devices }),
});
lifecycle.onStop('sessions', () => sessions.close());
service.onServersChanged(() => sessions.reconfigure(servers.config.servers));
sessionMetrics.watch(() => sessions.status());
const status = await openWorkerStatus({ settings, metrics, store, clock, queue });
if (status !== undefined) lifecycle.closing('metrics', status);
const concurrency = settings.BATON_CONCURRENCY;
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
lifecycle.closing(
  'history',
  watchHistory({ store, clock, onTrouble: (error, what) => log.warn({ err: error }, what) }),
);
lifecycle.closing('server report', reportServers({ store, worker: worker.id, servers: sessions, log }));
const metricsAddress = status === undefined ? {} : { metrics: `${status.url}/metrics` };
log.info({ worker: worker.id, concurrency, ...metricsAddress }, 'the worker is ready for runs');
lifecycle.ready({ worker: worker.id, ...metricsAddress });
