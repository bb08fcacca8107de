/** Opens what the orchestrator is made of: the server without routes, and what answers and tends an installation. */
import type { Tracing } from '@baton/boot';
import {
  WorkflowLearner,
  CatalogueCache,
  Checker,
  DeployedTriggers,
  DriftGuard,
  Repinner,
  InlineWorkflows,
  CheckThreads,
  cachedTriggers,
  QueueBacklog,
  AppendQueues,
  RunQuota,
  type NewRun,
  type Principal,
  RunStarter,
  AccessTokens,
  AddressCounts,
  clientUnusedMs,
  OAuthClients,
  SealedRecords,
  Keyring,
  LoginSessions,
  OpenStreams,
  RunWatches,
  RunView,
  readHolder,
  Roles,
  Assertions,
  ClaimGrants,
  IssuedPeople,
  SignedTokens,
  ProviderLogins,
  Vouchers,
  Vouching,
} from '@baton/control';
import { BackgroundTask, RunOffers, StartOffers } from '@baton/runner';
import {
  type DeployedPinsReader,
  cachedPins,
  cachedPlans,
  countQuestions,
  countQueued,
  countUnderWay,
  lastPositions,
  noteApiKeyUse,
  noteSeen,
  removeUnusedClients,
} from '@baton/store';
import { openOutbound } from '@baton/transports';

import type { AppParts } from './appParts.ts';
import { DeliveryNotes } from './hooks/deliveryNotes.ts';
import { type App, createEdge } from './http/edge.ts';
import { hostCheck } from './http/hosts.ts';
import { type HttpMetrics, httpMetricsIn } from './http/httpMetrics.ts';
import { basePathOf } from './http/publicUrl.ts';
import { Rates } from './http/rates.ts';
import { SessionCookie } from './http/sessionCookie.ts';
import { builtPage, readDocument } from './page/pageFiles.ts';
import { taskTrouble } from './taskTrouble.ts';

/** How often the last use of a key is written to Postgres. */
const keyUseEveryMs = 10_000;
/** How often unused clients and expired records of the authorization server are removed. */
const unusedClientsEveryMs = 3_600_000;
/** The metric counts the open questions of at most this many runs. */
const askingMax = 100_000;

export type OpenApp = Awaited<ReturnType<typeof openApp>>;

export async function openApp(parts: AppParts) {
  const { store, secrets, clock, queue, bus, lifecycle, publicUrl, pageFolder: folder = builtPage } = parts;
  const positions = (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => lastPositions(store, ids);
  const watches = new RunWatches({ bus, positions, clock });
  lifecycle.stopping.addEventListener('abort', () => watches.endWaits(), { once: true });
  lifecycle.onStop('watches', async () => watches.close());
  const readers = new OpenStreams();
  const httpMetrics = httpMetricsOf(parts, readers, watches);
  const basePath = basePathOf(publicUrl);
  const edge = await openEdge(parts, httpMetrics, basePath);
  const { bellFailed: onBellFailed } = httpMetrics;
  const plans = cachedPlans(store);
  const checks = openChecker(parts, edge.app);
  const inlines = new InlineWorkflows({ store, secrets, checker: checks.checker }, clock);
  const view = new RunView({ plans, store, clock });
  const { bell } = queue;
  const { journal } = store;
  const onStarted = traceStarts(parts.tracing);
  const deployedPins = cachedPins(store);
  const repinner = openRepinner(parts, checks.checker, deployedPins);
  const checkTools = toolCheck(parts, repinner);
  const intake = openIntake(parts);
  const { home } = parts;
  const starter = new RunStarter({
    store,
    secrets,
    plans,
    bell,
    clock,
    home,
    ...intake,
    onBellFailed,
    onStarted,
    checkTools,
  });
  const live = { watches, clock, stopping: lifecycle.stopping };
  const triggers = cachedTriggers(store);
  const deployed = new DeployedTriggers(store, triggers, taskTrouble(parts.log));
  const appender = { store, plans, journal, bell, bus, clock, queues: new AppendQueues(), onBellFailed };
  const firing = { ...appender, starter, triggers, httpMetrics, notes: new DeliveryNotes(store, clock) };
  const provider = parts.provider?.provider.host;
  const page = { folder, document: await readDocument(folder, { basePath, provider }) };
  return {
    ...edge,
    ...checks,
    positions,
    readers,
    httpMetrics,
    basePath,
    plans,
    inlines,
    view,
    journal,
    intake,
    starter,
    live,
    deployed,
    deployedPins,
    appender,
    firing,
    repinner,
    page,
  };
}

function openIntake({ store, bus, clock, log, budgets, queuedMax, runsMax, itemsMax }: AppParts) {
  const onTrouble = taskTrouble(log);
  return {
    backlog: new QueueBacklog({ count: (most) => countQueued(store, most), clock, most: queuedMax, onTrouble }),
    budgets,
    quota: new RunQuota({ count: () => countUnderWay(store), clock, most: runsMax, itemsMax }),
    startOffers: new StartOffers({ offers: new RunOffers(bus), clock }),
  };
}

async function openEdge(parts: AppParts, httpMetrics: HttpMetrics, basePath: string) {
  const { store, clock, vault, log, host, publicUrl, innerUrl, trustedProxies } = parts;
  const roles = parts.roles ?? new Roles();
  const vouchers = new Vouchers(vault.keysFor('vouchers of identity providers'));
  const grants = new ClaimGrants(parts.claimRules ?? []);
  const keyring: Keyring = keyringOf(parts, roles, { vouchers, grants }, (id) => oauth.people?.forget(id));
  const sessions = new LoginSessions({ store, keyring, clock, secretKeys: vault.keysFor('sessions of browsers') });
  const cookie = new SessionCookie({ publicUrl, basePath });
  const rates = new Rates(parts.rateLimits);
  const oauth = openOAuth(parts, { keyring, roles, grants });
  const { tokens, records } = oauth;
  const logins =
    parts.provider &&
    new ProviderLogins({ ...parts.provider, store, clock, records, vouchers, grants, roles, keyring, sessions });
  const app = createEdge({
    log,
    keyring,
    sessions,
    cookie,
    tokens,
    publicUrl,
    rates,
    fence: () => store.history.warning(),
    checkHost: hostCheck({ host, publicUrl, innerUrl }),
    trustedProxies,
    basePath,
    onAnswer: (...answer) => httpMetrics.answered(...answer),
  });
  await rates.open(app);
  const isGood = (principal: Principal): Promise<boolean> =>
    principal.client === undefined ? sessions.isGood(principal) : tokens.isGood(principal);
  return { app, roles, keyring, sessions, logins, credentials: { isGood }, cookie, rates, ...oauth };
}

interface TokenParts {
  readonly keyring: Keyring;
  readonly roles: Roles;
  readonly grants: ClaimGrants;
}

function openOAuth(parts: AppParts, given: TokenParts) {
  const { store, clock, vault, log, lifecycle, callbackNetworks = [], mayRegister = false } = parts;
  const { keyring } = given;
  const outbound = openOutbound({ loopback: false, networks: callbackNetworks });
  lifecycle.onStop('documents of clients', () => outbound.close());
  const onEnded = (grantId: string): void => tokens.forget(grantId);
  const records = new SealedRecords({
    store,
    secretKeys: vault.keysFor('records of the authorization server'),
    onEnded,
  });
  const { people, issued, assertions } = openIssued(parts, given, records) ?? {};
  const tokens = new AccessTokens({ store, records, keyring, clock, issued });
  const cookieKeys = vault.keysFor('cookies of the authorization server');
  const onError = (err: Error): void => log.error({ err }, 'the authorization server could not answer');
  const more = { cookieKeys, mayRegister, onError, assertions };
  const clients = new OAuthClients({ store, records, keyring, clock, outbound, ...more });
  const run = async (): Promise<number> => {
    await removeUnusedClients(store, clock.now() - clientUnusedMs);
    return unusedClientsEveryMs;
  };
  const removing = new BackgroundTask({ name: 'unused clients', clock, run, onTrouble: taskTrouble(log) });
  lifecycle.onStop('unused clients', () => removing.close());
  removing.start(unusedClientsEveryMs);
  return { tokens, clients, records, people };
}

/** Undefined: no other authorization server is named. */
function openIssued(
  { store, clock, log, tokenIssuer: issuer }: AppParts,
  { keyring, roles, grants }: TokenParts,
  records: SealedRecords,
) {
  if (issuer === undefined) return undefined;
  let told: Error | undefined;
  const onFault = (err: Error): void => {
    // Each request meets the same fault until the server is asked again.
    if (err !== told) log.warn({ err }, 'the server of BATON_OAUTH_ISSUER did not give its keys');
    told = err;
  };
  const people = new IssuedPeople({ store, clock, roles, keyring, issuer: issuer.issuer });
  const issued = new SignedTokens({ issuer, people, grants, keyring, clock, onFault });
  const assertions = new Assertions({ store, records, issuer, people, grants, clock, onFault });
  return { people, issued, assertions };
}

function openChecker(parts: AppParts, app: App) {
  const { lifecycle, config, root, clock } = parts;
  const catalogueCache = new CatalogueCache(config, parts.servers, clock);
  const threads = parts.checkThreads ?? new CheckThreads();
  if (threads !== parts.checkThreads) lifecycle.onStop('checks', () => threads.close());
  app.addHook('onListen', async () => threads.warm());
  const checker = new Checker(threads, catalogueCache, clock);
  const learning = new WorkflowLearner({ threads, checker, config, catalogueCache, root });
  return { catalogueCache, checker, threads, learning };
}

const httpMetricsOf = ({ store, metrics }: AppParts, readers: OpenStreams, watches: RunWatches): HttpMetrics =>
  httpMetricsIn(metrics, {
    readers: () => readers.count,
    watched: () => watches.size,
    questions: () => countQuestions(store, askingMax),
  });

const traceStarts = (tracing: Tracing | undefined) =>
  tracing &&
  (({ runId, workflow, trigger, startMs, endMs }: NewRun): void => {
    const attributes = { 'baton.workflow': workflow, 'baton.trigger': trigger };
    tracing.tell(runId, { name: `request ${workflow}`, attributes, startMs, endMs });
  });

function keyringOf(
  { store, clock, log, lifecycle, provider }: AppParts,
  roles: Roles,
  ofClaims: { readonly vouchers: Vouchers; readonly grants: ClaimGrants },
  onForgotten: (id: string) => void,
): Keyring {
  const monotonic = (): number => clock.monotonic();
  const vouching = new Vouching({
    store,
    clock,
    ...ofClaims,
    provider: provider?.provider,
    onChanged: (person) => keyring.forget(person),
    onFault: (err) => log.warn({ err }, 'the identity provider did not say whether a person may still log in'),
    onTrouble: (error) => taskTrouble(log)(error, 'asking the identity provider'),
  });
  const keyring = new Keyring({
    load: async (id) => vouching.vouched(await readHolder(store, id)),
    roles,
    failures: new AddressCounts(monotonic),
    monotonic,
    now: () => clock.now(),
    onForgotten,
  });
  const run = async (): Promise<number> => {
    const used = keyring.takeUsed();
    if (used.length > 0) await noteApiKeyUse(store, used, clock.now());
    if (used.length > 0) await noteSeen(store, used, clock.now());
    return keyUseEveryMs;
  };
  const noting = new BackgroundTask({
    name: 'times of use of API keys and people',
    clock,
    run,
    onTrouble: taskTrouble(log),
  });
  lifecycle.onStop('key use', () => noting.close());
  noting.start(keyUseEveryMs);
  return keyring;
}

function openRepinner(
  { store, secrets, clock, changes, log, lifecycle }: AppParts,
  checker: Checker,
  deployedPins: DeployedPinsReader,
): Repinner {
  const onRepinned = (workflow: string, version: number, changed: readonly string[]): void =>
    log.info({ workflow, version, changed }, 'a workflow was proved again, and pinned to tools that have changed');
  const parts = { store, secrets, checker, clock, deployedPins };
  const repinner = new Repinner({ ...parts, onRepinned, onTrouble: taskTrouble(log) });
  const stopListening = changes?.listen((server) => repinner.changed(server));
  lifecycle.onStop('proofs', async () => {
    stopListening?.();
    await repinner.close();
  });
  return repinner;
}

function toolCheck(
  { store, clock, config, servers, log }: AppParts,
  repinner: Repinner,
): (definition: string) => Promise<void> | undefined {
  const onDrift = (changes: readonly string[]): void => log.warn({ changes }, 'tools of servers have changed');
  const prove = (definition: string): ReturnType<Repinner['prove']> => repinner.prove(definition);
  const guard = new DriftGuard({ store, config, servers, clock, onDrift, onTrouble: taskTrouble(log), prove });
  return (definition) => guard.check(definition);
}
