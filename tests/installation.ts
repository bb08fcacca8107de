/** A whole Baton of real processes, for tests from outside: of any kind, on a database of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Client, createClient, type Run } from '@baton/api/client';
import { type JsonObject, isObject } from '@baton/primitives';
import { appFile, compileCache, freshDatabase, roomForYoung } from '@baton/testing';

export type { Run };

type Kind = 'orchestrator' | 'worker' | 'server';

export interface App {
  readonly kind: Kind;
  readonly child: ChildProcess;
  /** What it told its supervisor when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Everything that it wrote. */
  readonly log: () => string;
  /** Resolves when it is gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface InstallationOptions {
  /** As in `mcp.json`. */
  readonly servers: Readonly<Record<string, object>>;
  /** What the scripted model is told to say, as in `mcp.json`; without, it makes something up that fits. */
  readonly modelRules?: readonly object[];
  /** Processes of one role. With neither: one server, which has both roles, as `baton dev` starts it. */
  readonly workers?: number;
  readonly orchestrators?: number;
  readonly redisUrl?: string;
  /** Migrated, and used by nothing else; it stays the caller's. Absent: one of its own. */
  readonly databaseUrl?: string;
  /** Of a proxy through which every process reaches Postgres. */
  readonly databasePort?: number;
  /** On top of what is decided here. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs that are followed at a time: a key may have 50 streams. */
const followingMax = 40;

/** Resolves when the process says that it is ready. Rejects with what it wrote, when it ends before. */
async function startApp(kind: Kind, env: Readonly<Record<string, string>>): Promise<App> {
  const child = spawn(process.execPath, [...roomForYoung, appFile(kind)], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      NODE_COMPILE_CACHE: compileCache,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const onExit = (): void => void child.kill('SIGKILL');
  process.once('exit', onExit);
  const gone = once(child, 'exit').finally(() => process.removeListener('exit', onExit));
  const ready = await Promise.race([
    once(child, 'message').then(([message]) => message as Record<string, unknown>),
    gone.then(() => {
      throw new Error(`the ${kind} ended before it was ready:\n${written}`);
    }),
  ]);
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  return { kind, child, ready, log: () => written, kill };
}

export class Installation {
  readonly databaseUrl: string;
  readonly folder: string;
  readonly workers: App[] = [];
  /** Processes that accept runs: orchestrators and servers. */
  readonly orchestrators: App[] = [];
  readonly #env: Readonly<Record<string, string>>;
  readonly #drop: () => Promise<void>;
  readonly #following = new Set<Promise<unknown>>();
  #key = '';

  private constructor(
    databaseUrl: string,
    folder: string,
    env: Readonly<Record<string, string>>,
    drop: () => Promise<void>,
  ) {
    this.databaseUrl = databaseUrl;
    this.folder = folder;
    this.#env = env;
    this.#drop = drop;
  }

  static async start(options: InstallationOptions): Promise<Installation> {
    const { servers, modelRules = [], workers, redisUrl, env = {} } = options;
    const { orchestrators = workers === undefined ? 0 : 1 } = options;
    const [database, folder] = await Promise.all([databaseFor(options), mkdtemp(join(tmpdir(), 'baton-e2e-'))]);
    const config = join(folder, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: servers, models: scriptedModels(modelRules) }));
    const all = {
      DATABASE_URL: through(database.url, options.databasePort),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      BATON_DATA: folder,
      BATON_SERVERS: config,
      BATON_PORT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    };
    const installation = new Installation(database.url, folder, all, () => database.drop());
    for (let n = 0; n < orchestrators; n++) await installation.startOrchestrator();
    if (workers === undefined && orchestrators === 0) await installation.startServer();
    await Promise.all(Array.from({ length: workers ?? 0 }, () => installation.startWorker()));
    return installation;
  }

  /** Processes that drive runs. */
  get driving(): readonly App[] {
    return [...this.workers, ...this.orchestrators.filter(({ kind }) => kind === 'server')];
  }

  /** `env`: of this one alone. */
  startAnother(kind: Kind, env: Readonly<Record<string, string>> = {}): Promise<App> {
    return kind === 'worker' ? this.startWorker(env) : this.#startAccepting(kind, env);
  }

  /** `env`: of this one alone. */
  startOrchestrator(env: Readonly<Record<string, string>> = {}): Promise<App> {
    return this.#startAccepting('orchestrator', env);
  }

  /** Of both roles. `env`: of this one alone. */
  startServer(env: Readonly<Record<string, string>> = {}): Promise<App> {
    return this.#startAccepting('server', env);
  }

  async #startAccepting(kind: 'orchestrator' | 'server', env: Readonly<Record<string, string>>): Promise<App> {
    const app = await startApp(kind, { ...this.#env, ...env });
    this.orchestrators.push(app);
    this.#key = this.#env['BATON_ADMIN_KEY'] ?? (await readFile(join(this.folder, 'admin-key'), 'utf8')).trim();
    return app;
  }

  /** `env`: of this one alone. */
  async startWorker(env: Readonly<Record<string, string>> = {}): Promise<App> {
    const where = this.orchestrators.length === 0 ? {} : { BATON_URL: this.url };
    const app = await startApp('worker', { ...this.#env, ...where, ...env });
    this.workers.push(app);
    return app;
  }

  /** All processes, those that have ended included. */
  get apps(): readonly App[] {
    return [...this.workers, ...this.orchestrators];
  }

  /** Of the orchestrator that was started last and is alive. */
  get url(): string {
    return String(this.orchestrators.findLast(({ child }) => isAlive(child))?.ready['url']);
  }

  /** `body`: an object is sent as JSON, a text as YAML. */
  async api(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isText = typeof body === 'string';
    const type = isText ? 'application/yaml' : 'application/json';
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^application\/([a-z+]+\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const parsed = isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : { text };
    return { status: response.status, headers: response.headers, body: parsed };
  }

  /** Of the newest orchestrator. Asks again where a busy machine makes it late. */
  get client(): Client {
    return createClient({ url: this.url, key: this.#key, retries: 20 });
  }

  /** The workflow's name. */
  async deploy(text: string): Promise<string> {
    return (await this.client.workflows.deploy(text)).id;
  }

  /** The run's id. */
  async start(workflow: string, inputs: JsonObject = {}): Promise<string> {
    return (await this.client.runs.start(workflow, inputs)).id;
  }

  /** Follows the run's events to the last one; then the run. */
  async ended(runId: string): Promise<Run> {
    while (this.#following.size >= followingMax) await Promise.race(this.#following);
    const following = this.client.runs.wait(runId).finally(() => this.#following.delete(following));
    this.#following.add(following);
    return following;
  }

  run(runId: string): Promise<Run> {
    return this.client.runs.get(runId);
  }

  async stop(): Promise<void> {
    await Promise.all(this.apps.filter(({ child }) => isAlive(child)).map((app) => app.kill('SIGTERM')));
    await this.#drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const databaseFor = async ({ databaseUrl }: InstallationOptions) =>
  databaseUrl === undefined ? freshDatabase() : { url: databaseUrl, drop: () => Promise.resolve() };

function through(databaseUrl: string, port: number | undefined): string {
  const url = new URL(databaseUrl);
  if (port !== undefined) url.port = String(port);
  return url.href;
}

/** One output of a run; undefined if it has none of that name. */
export const outputOf = ({ outputs }: Pick<Run, 'outputs'>, name: string): unknown =>
  isObject(outputs) ? outputs[name] : undefined;

export const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

const scriptedModels = (rules: readonly object[]): object => ({
  default: 'scripted',
  providers: { scripted: { kind: 'scripted', rules } },
});
