/** Baton as it runs in production, on a database of its own: an orchestrator and workers, each a process, or a server. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { type Child, startChild } from '../core/childSide.ts';
import { type Workload, nameOf } from '../core/load.ts';
import type { Services } from '../services.ts';
import { type RestClient, restClient } from './restClient.ts';

export interface Stack {
  readonly client: RestClient;
  /** For requests outside of it. */
  readonly key: string;
  /** A server, where one process has both roles. */
  readonly orchestrator: Child;
  readonly workers: readonly Child[];
  /** Beside the first. */
  readonly orchestrators: readonly Child[];
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  addWorker(): Promise<Child>;
  addOrchestrator(): Promise<Child>;
  close(): Promise<void>;
}

export interface StackOptions {
  /** Of its database. */
  readonly name: string;
  readonly redisUrl?: string | undefined;
  /** Default: one; none where one process has both roles. */
  readonly workers?: number;
  /** One process accepts and drives. */
  readonly isServer?: boolean;
  /** For Node, in front of the script: `--cpu-prof`. */
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the bundled apps, which take less memory and start sooner; absent: the sources. */
  readonly built?: string | undefined;
  /** Beside `everything`, as in `mcp.json`. */
  readonly servers?: Readonly<Record<string, object>>;
}

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const mainOf = (app: string, built?: string): string =>
  built === undefined
    ? fileURLToPath(new URL(`../../apps/${app}/src/main.ts`, import.meta.url))
    : join(built, `${app}.js`);
const adminKey = 'bench-bench-bench-bench-bench-bench-bench';
/** Of the installation that is measured: all that write into its journals mark their events with it. */
export const secretKey = Buffer.alloc(32, 7).toString('base64');

export const workloads: readonly Workload[] = [1, 3, 10].flatMap((steps) => [
  { kind: 'W', steps } as const,
  { kind: 'W0', steps } as const,
  { kind: 'read', steps } as const,
]);

/** The workload as a workflow. */
export function workflowOf(workload: Workload): string {
  const { kind, steps } = workload;
  const lines = Array.from({ length: steps }, (_, step) => {
    const id = `s${step + 1}`;
    if (kind === 'W0') return `  - { id: ${id}, set: { x: ${step} } }`;
    const effect = kind === 'W' ? 'write' : 'read';
    return `  - { id: ${id}, tool: everything/echo, effect: ${effect}, with: { message: hello step ${step} } }`;
  });
  return `workflow: ${nameOf(workload)}\nsteps:\n${lines.join('\n')}\n`;
}

export async function startStack(services: Services, options: StackOptions): Promise<Stack> {
  const { name, redisUrl, isServer = false, workers = isServer ? 0 : 1, execArgv = [], built } = options;
  const databaseUrl = await services.database(name);
  const folder = join(services.folder, name);
  await mkdir(folder);
  const server = { command: process.execPath, args: [everything], baton: { trust: true } };
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { everything: server, ...options.servers } }));
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl ?? '',
    BATON_DATA: folder,
    BATON_SERVERS: join(folder, 'mcp.json'),
    BATON_PORT: '0',
    BATON_ADMIN_KEY: adminKey,
    BATON_SECRET_KEY: secretKey,
    LOG_LEVEL: 'warn',
    ...options.env,
  };
  const start = (app: string): Promise<Child> => startChild({ file: mainOf(app, built), cwd: folder, env, execArgv });
  const orchestrator = await start(isServer ? 'server' : 'orchestrator');
  const children: Child[] = [];
  const orchestrators: Child[] = [];
  const adding = (app: string, all: Child[]) => async (): Promise<Child> => {
    const child = await start(app);
    all.push(child);
    return child;
  };
  const addWorker = adding('worker', children);
  const addOrchestrator = adding('orchestrator', orchestrators);
  for (let i = 0; i < workers; i += 1) await addWorker();
  const client = restClient(String(orchestrator.ready['url']), adminKey);
  for (const workload of workloads) await client.deploy(workflowOf(workload));
  const close = async (): Promise<void> => {
    client.close();
    await Promise.all(children.map((child) => child.stop()));
    for (const child of [...orchestrators, orchestrator]) await child.stop();
  };
  return {
    client,
    key: adminKey,
    orchestrator,
    workers: children,
    orchestrators,
    databaseUrl,
    redisUrl,
    addWorker,
    addOrchestrator,
    close,
  };
}
