/**
 * Opens what every process of an installation stands on: the database, its clock, the queue, the bus, the secrets and the
 * sessions with servers. The lifecycle closes it, in the opposite order.
 */
import { type Service, cannotUse, Metrics, Readiness, toldAs } from '@baton/boot';
import { Outage } from '@baton/primitives';
import { type OpenQueue, EvictionError, openQueue } from '@baton/queue';
import {
  type Bus,
  type Channels,
  type SecretWatch,
  type CallPace,
  LoginPace,
  BoundSecrets,
  Home,
  SharedClock,
  StoredHere,
  systemClock,
} from '@baton/runner';
import {
  type Store,
  checkPooler,
  claimMarks,
  connectionShortage,
  databaseTime,
  deployedSecretUses,
  installationId,
  MarksError,
  migrate,
  NotifyBus,
  openStore,
  QueueClient,
  readDatabaseAddress,
  rewrapSecrets,
  storedSecrets,
  Vault,
} from '@baton/store';

import { BudgetGuard } from '../budgets/budgetGuard.ts';
import { beginFence } from './fencePlaces.ts';
import { installationMetrics } from './installationMetrics.ts';
import { openRates } from './openRates.ts';
import { openServerSessions, type ServerSessions } from './openServerSessions.ts';
import { checkValues, valuePlace } from './openValues.ts';
import type { Role } from './role.ts';

export interface Installation {
  readonly service: Service;
  readonly roles: readonly Role[];
  readonly store: Store;
  readonly clock: SharedClock;
  readonly queue: OpenQueue;
  readonly bus: Bus & Channels;
  readonly vault: Vault;
  readonly secrets: BoundSecrets;
  /** Keeps `service.known` up to date, for redaction. */
  readonly secretWatch: SecretWatch;
  readonly metrics: Metrics;
  /** What the process says of itself at `/readyz`. */
  readonly readiness: Readiness;
  readonly sessions: ServerSessions;
  /** When calls may be made to servers with a rate. */
  readonly pace: CallPace;
  /** Keeps runs within the budgets of a day or a month. */
  readonly budgets: BudgetGuard;
  /** What drivers of this process store, for requests of this process. */
  readonly stored: StoredHere;
  /** Where runs that this process accepts may begin at once. */
  readonly home: Home;
}

/** Rejects with `StartError`, whose message is for operators. */
export async function openInstallation(service: Service, roles: readonly Role[]): Promise<Installation> {
  const { settings, log, known, lifecycle, secretKey } = service;
  const { BATON_SECRET_KEY_BEFORE: before } = settings;
  const { store, clock } = await openDatabase(service);
  await claimMarks(store, { before, memory: service.marks }).catch(toldAs(MarksError));
  await beginFence(service, store, clock);
  const queue = lifecycle.closing('queue', await openBell(service, await installationId(store)));
  const notified = queue.bus ?? (await NotifyBus.open({ pool: store.pool, url: service.databaseUrl }));
  const bus = lifecycle.closing('bus', notified);
  const vault = new Vault(secretKey, before);
  if (roles.includes('accept')) await adoptSecrets(store, vault, log);
  const source = storedSecrets(store, vault);
  const secretWatch = lifecycle.closing('secrets', await source.watch(known));
  const secrets = new BoundSecrets(source, { known, deployed: deployedSecretUses(store) });
  const metrics = new Metrics();
  const writeFault = (): Promise<string | undefined> => store.writeFault();
  const readiness = new Readiness({ writeFault, queue, clock, history: store.history });
  installationMetrics(metrics, { version: service.version, readiness, store });
  const opened = { service, roles, store, clock, queue, bus, vault, secrets, secretWatch, metrics, readiness };
  const sessions = await openServerSessions(service, opened);
  const pace = new LoginPace(await openRates(service, opened), sessions.servers, clock);
  const budgets = lifecycle.closing('budgets', new BudgetGuard({ store, channels: bus, clock }));
  return { ...opened, sessions, pace, budgets, stored: new StoredHere(), home: new Home() };
}

async function openDatabase(service: Service): Promise<Pick<Installation, 'store' | 'clock'>> {
  const { settings, log, lifecycle, databaseUrl: url, pooledUrl, secretKey, onTrouble, onBack } = service;
  await migrate(url, { onWait: (message) => log.warn(message), onNewer: (message) => log.warn(message) }).catch(
    cannotUse('Postgres', pooledUrl === undefined ? 'DATABASE_URL' : 'BATON_DIRECT_URL'),
  );
  if (pooledUrl !== undefined) await checkPooler(pooledUrl, url).catch(cannotUse('Postgres', 'DATABASE_URL'));
  const outage = new Outage((awayMs) => onBack('Postgres', awayMs));
  const onBroken = (error: Error): void => {
    outage.begin();
    onTrouble('a connection to Postgres broke', error);
  };
  const now = (): number => clock.now();
  const onRewound = (message: string): void => {
    log.error(message);
    // A process that has begun to work knows more than the database does: it begins anew, behind the fence.
    if (lifecycle.isReady) setImmediate(() => lifecycle.fail(message));
  };
  const values = valuePlace(settings.BATON_VALUES, service.env);
  const store = lifecycle.closing(
    'store',
    openStore({ url, pooledUrl, values, secretKey, now, onTrouble: onBroken, onRewound }),
  );
  const clock: SharedClock = lifecycle.closing(
    'clock',
    await SharedClock.start({
      readTime: () => databaseTime(store),
      own: systemClock,
      onAnswer: (hasAnswered) => (hasAnswered ? outage.end() : outage.begin()),
      onWarning: (what) => log.warn(what ?? 'The clock of this machine is that of Postgres again.'),
    }),
  );
  // See *Connections* in docs/deployment.md.
  const most = settings.REDIS_URL === undefined ? 26 : 14;
  const shortage = await connectionShortage(store.pool, most).catch(cannotUse('Postgres', 'DATABASE_URL'));
  for (const told of [shortage, await checkValues(store)]) if (told !== undefined) log.warn(told);
  return { store, clock };
}

const openBell = (
  { settings, databaseUrl, onTrouble, onBack }: Service,
  id: Awaited<ReturnType<typeof installationId>>,
): Promise<OpenQueue> =>
  openQueue({
    redisUrl: settings.REDIS_URL,
    databaseUrl,
    databaseClient: QueueClient,
    databaseSchema: readDatabaseAddress(databaseUrl).queueSchema,
    installationId: id,
    onTrouble: (_what, error, count, message) => onTrouble(message, error, count),
    onBack: (awayMs) => onBack('Redis', awayMs),
  }).catch(toldAs(EvictionError));

/** Encrypts secrets of the key before with the key of now. */
async function adoptSecrets(store: Store, vault: Vault, log: Service['log']): Promise<void> {
  const { moved, lost } = await rewrapSecrets(store, vault);
  if (moved > 0) log.info({ moved }, 'secrets are encrypted with the new BATON_SECRET_KEY now');
  if (lost > 0)
    log.warn(
      { lost },
      'secrets are encrypted with another key and cannot be read: start an orchestrator with that key as BATON_SECRET_KEY_BEFORE',
    );
}
