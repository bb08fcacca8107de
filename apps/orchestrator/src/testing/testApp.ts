/** For tests: the whole orchestrator on a store of its own, asked without a port. */
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';

import { openApiDocument, type Scope } from '@baton/api';
import { createLogger, Metrics, Readiness } from '@baton/boot';
import { BudgetGuard, CheckThreads, refusals, makeKey } from '@baton/control';
import { once, within } from '@baton/primitives';
import { readServers } from '@baton/protocol';
import { openQueue } from '@baton/queue';
import { BoundSecrets, KnownSecrets, SharedClock, StoredHere, systemClock } from '@baton/runner';
import {
  databaseTime,
  deployedSecretUses,
  NotifyBus,
  putApiKey,
  QueueClient,
  storedSecrets,
  storedAuthorizations,
  Vault,
  type NewApiKey,
  type Store,
} from '@baton/store';
import { appFile } from '@baton/testing';
import { openServers, serverMetrics } from '@baton/transports';
import type { InjectOptions } from 'fastify';

import { createApp } from '../app.ts';
import type { AppParts } from '../appParts.ts';
import { closerOf } from '../http/closing.ts';
import type { App } from '../http/edge.ts';
import { callbackPath } from '../routes/servers/serverLogin.ts';
import { AnswerCheck } from './testAnswers.ts';

export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

type RequestSender = Omit<InjectOptions, 'method' | 'url'> & { readonly key?: string; readonly json?: unknown };

export interface TestAppOptions {
  /** As under `mcpServers` in a server configuration. */
  readonly servers?: Readonly<Record<string, object>>;
  /** Where the queue is, where that is not where the store is. */
  readonly queueUrl?: string;
  /** Further options that differ from the defaults. */
  readonly parts?: Partial<AppParts>;
}

export interface TestApp {
  readonly app: App;
  readonly vault: Vault;
  /** `what`: method and address. Without `key`: as an admin. Rejects where the answer is not as the document says. */
  ask(what: string, options?: RequestSender): Promise<TestAnswer>;
  /** The text of a new key. */
  newKey(scopes: readonly Scope[], more?: Partial<NewApiKey>): Promise<string>;
  deploy(text: string): Promise<TestAnswer>;
  /** On a port of its own; the address, without a slash at its end. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

export async function openTestApp(
  store: Store,
  url: string,
  { servers: configured = {}, queueUrl = url, parts: more = {} }: TestAppOptions = {},
): Promise<TestApp> {
  const stopping = new AbortController();
  const stops: (() => Promise<void>)[] = [];
  const lifecycle = {
    stopping: stopping.signal,
    onStop: (name: string, stop: (graceMs: number) => Promise<void>) =>
      void stops.push(() => inTime(name, stop(1_000))),
  };
  const queue = await openQueue({ databaseUrl: queueUrl, databaseClient: QueueClient, answerMs: queueAnswerMs });
  lifecycle.onStop('queue', () => queue.close());
  const bus = await NotifyBus.open({ pool: store.pool, url });
  lifecycle.onStop('bus', () => bus.close());
  const { config } = readServers(JSON.stringify({ mcpServers: configured }));
  const vault = more.vault ?? new Vault(randomBytes(32));
  const oauth = { store: storedAuthorizations(store, vault, 'test'), redirectUrl: `http://127.0.0.1${callbackPath}` };
  const known = new KnownSecrets();
  const source = storedSecrets(store, vault);
  const secrets = new BoundSecrets(source, { known, deployed: deployedSecretUses(store) });
  const { keyValues } = store;
  const asThere = {
    environment: {},
    secret: secrets.ofServer,
    root: '/',
    version: 'test',
    handlers: refusals,
    keyValues,
  };
  const metrics = new Metrics();
  const sessionMetrics = serverMetrics(metrics);
  const watch = await source.watch(known);
  lifecycle.onStop('secrets', () => watch.close());
  const servers = openServers(config, { ...asThere, oauth, known, measures: sessionMetrics.measures });
  sessionMetrics.watch(() => servers.status());
  lifecycle.onStop('servers', () => servers.close());
  const log = createLogger({ level: 'silent', name: 'test' });
  const clock = new SharedClock({ readTime: () => databaseTime(store), own: systemClock, onWarning: () => undefined });
  const { history } = store;
  const readiness = new Readiness({ writeFault: () => store.writeFault(), queue, clock, history });
  const budgets = new BudgetGuard({ store, channels: bus, clock });
  lifecycle.onStop('budgets', () => budgets.close());
  const own = { store, clock, vault, secrets, queue, bus, budgets, stored: new StoredHere(), config, servers };
  const parts = { ...own, log, metrics, readiness, lifecycle, version: 'test' };
  const checkThreads = threadsOfProcess();
  const app = await createApp({ ...parts, host: '127.0.0.1', publicUrl: undefined, checkThreads, ...more });
  const door = closerOf(app);
  const newKey: TestApp['newKey'] = async (scopes, more = {}) => {
    const { id, secretHash, text } = makeKey();
    await putApiKey(store, { id, name: 'test', secretHash, scopes, createdBy: 'test', ...more });
    return text;
  };
  const admin = await newKey(['admin']);
  const ask = asker(app, admin);
  return {
    app,
    vault,
    ask,
    newKey,
    deploy: (text) => ask('POST /v1/workflows', { headers: { 'content-type': 'application/yaml' }, payload: text }),
    listen: () => app.listen({ host: '127.0.0.1', port: 0 }),
    close: async () => {
      stopping.abort();
      await door.close(5_000);
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

/** Bells on a machine that others load. */
const queueAnswerMs = 10_000;

/** For all test files of the process: a thread takes as much CPU to start as a test. */
const threadsOfProcess = once(() => new CheckThreads({}, checkProgram()));

/** What a thread that checks workflows begins with: from its source it takes five times the CPU to start. */
export const checkProgram = (): URL => pathToFileURL(appFile('checkThread'));

/** For all test files of the process: it compiles many schemas. */
const answerCheck = once(() => new AnswerCheck(openApiDocument({ version: '0', metricsAccess: 'public' })));

function asker(app: App, admin: string): TestApp['ask'] {
  return async (what, { key = admin, json, headers, ...rest } = {}) => {
    const [method = 'GET', address = '/'] = what.split(' ');
    const answer = await app.inject({
      ...rest,
      method: method as 'GET',
      url: address,
      headers: {
        host: '127.0.0.1',
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { payload: JSON.stringify(json) }),
    });
    const { statusCode: status, payload: text } = answer;
    const contentType = answer.headers['content-type']?.toString();
    const fault = answerCheck().fault({ method, url: address, status, contentType, text });
    if (fault !== undefined) throw new Error(fault);
    const isJson = String(answer.headers['content-type']).includes('json') && !text.includes('\n');
    return { status, headers: answer.headers, text, body: isJson ? (JSON.parse(text) as TestAnswer['body']) : {} };
  };
}

/** A part that does not stop is named, where the test would just not end. */
async function inTime(name: string, stopped: Promise<void>): Promise<void> {
  const onLate = (): never => {
    throw new Error(`${name} did not stop`);
  };
  await within(stopped, 30_000, { onLate });
}
