/** Debian's HAProxy: before two servers of Baton, and before a primary and a standby of Postgres. */
import type { ChildProcess } from 'node:child_process';

import { createClient } from '@baton/api/client';

import { pause } from '../pause.ts';
import { type Postgres, startStandby } from './databases.ts';
import { type Debian, type Started, host, until } from './debian.ts';
import { triedRuns } from './trial.ts';

/** Shorter than what is waited for, and longer than the 15 s between two comments of an event stream. */
const timeOutMs = 30_000;
const longMs = 45_000;
const longWorkflow = `workflow: long
steps:
  - wait: ${longMs / 1_000}s
  - id: made
    set: { done: true }
`;

const startHaproxy = (debian: Debian, config: (port: number) => string, at?: Started): Promise<Started> =>
  debian.start('haproxy', ({ folder, port }) => ['-db', '-f', debian.write(folder, 'haproxy.cfg', config(port))], at);

const ofServers = (urls: readonly string[]) => (port: number) =>
  `defaults
  mode http
  option redispatch
  retries 3
  timeout connect 2s
  timeout client ${timeOutMs}ms
  timeout server ${timeOutMs}ms
frontend baton
  bind ${host}:${port}
  option forwardfor
  default_backend servers
backend servers
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 2s fall 2 rise 1
${urls.map((url, at) => `  server baton${at} ${new URL(url).host}`).join('\n')}
`;

/** The usual check of HAProxy, no stickiness; one of the two servers is killed under load. */
export async function behindProxy(env: Readonly<Record<string, string>>, debian: Debian): Promise<string> {
  const front = async (urls: readonly string[]): Promise<string> => {
    const { port } = await startHaproxy(debian, ofServers(urls));
    const proxy = `http://${host}:${port}`;
    await until(async () => {
      const { status } = await fetch(`${proxy}/readyz`);
      if (status !== 200) throw new Error(`the proxy answers ${status}`);
    });
    return proxy;
  };
  const disturb = async (_: string, first: ChildProcess): Promise<void> => void first.kill('SIGKILL');
  return triedRuns({ ...env, BATON_TRUSTED_PROXIES: host }, { front, disturb, look: seenThrough });
}

/** What lasts longer than the proxy allows silence: a stream of events, and a request that waits for the end of its run. */
async function seenThrough(url: string, key: string): Promise<string> {
  let connections = 0;
  const client = createClient({ url, key, retries: 30 });
  await client.workflows.deploy(longWorkflow);
  const { id } = await client.runs.start('long', {});
  const events: string[] = [];
  const onConnection = ({ state }: { readonly state: string }): void => void (state === 'open' && (connections += 1));
  const waiting = fetch(`${url}/v1/workflows/long/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=60' },
    body: '{}',
  });
  for await (const { event } of client.runs.follow(id, { onConnection })) events.push(event.type);
  const { status } = await waiting;
  if (status !== 504) throw new Error(`the proxy answered ${status} to a request that waits for longer than it does`);
  if (events.at(-1) !== 'run.finished') throw new Error(`the stream ended with ${events.join()}`);
  return `a stream of ${longMs / 1_000} s needed ${connections === 1 ? 'one connection' : `${connections} connections`}, and \`Prefer: wait=60\` got the proxy's ${status}`;
}

const ofDatabases = (primary: Postgres, standby: Postgres) => (port: number) =>
  `defaults
  mode tcp
  timeout connect 2s
  timeout client 15s
  timeout server 15s
listen postgres
  bind ${host}:${port}
  option pgsql-check user postgres
  default-server check inter 2s fall 2 rise 1 on-marked-down shutdown-sessions
  server one ${host}:${primary.port}
  server two ${host}:${standby.port} backup
`;

/** Time-outs that close every idle connection; then the primary is killed, and the standby promoted. */
export async function databaseBehindProxy(debian: Debian, primary: Postgres, name: string): Promise<string> {
  const standby = await startStandby(debian, primary);
  const { port } = await startHaproxy(debian, ofDatabases(primary, standby));
  const disturb = async (): Promise<void> => {
    await pause(33_000);
    await primary.kill('SIGKILL');
    await standby.promote();
    await standby.query("alter system set synchronous_standby_names = ''");
    await standby.query('select pg_reload_conf()');
  };
  return triedRuns({ DATABASE_URL: `postgresql://postgres:x@${host}:${port}/${name}` }, { disturb });
}
