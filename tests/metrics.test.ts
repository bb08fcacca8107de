/** What a worker shows of itself, on real processes: what it counts, whether it lives, whether it can work. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type FaultProxy, brokenServer, faultProxy, toolsServer } from '@baton/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { Installation } from './installation.ts';

const workflow = (name: string, tool: string, args: object = {}): string =>
  `workflow: ${name}\nsteps:\n  - id: it\n    tool: ${tool}\n    with: ${JSON.stringify(args)}\n`;

const folder = mkdtempSync(join(tmpdir(), 'baton-metrics-'));
let postgres: FaultProxy;
let baton: Installation;

beforeAll(async () => {
  const { hostname, port } = new URL(inject('services').postgresUrl);
  postgres = await faultProxy({ host: hostname, port: Number(port) });
  baton = await Installation.start({
    servers: {
      work: { ...toolsServer(join(folder, 'ledger')), baton: { concurrency: 1 } },
      broken: brokenServer('exits'),
    },
    workers: 1,
    databasePort: postgres.port,
    env: { BATON_METRICS_PORT: '0', LOG_LEVEL: 'info', SHUTDOWN_GRACE: '6s' },
  });
  await baton.deploy(workflow('canary-echo', 'work/echo', { message: 'canary-argument' }));
  await baton.deploy(workflow('canary-fail', 'work/fail', { message: 'no' }));
  await baton.deploy(workflow('canary-slow', 'work/slow', { ms: 600_000 }));
  await baton.deploy(workflow('canary-broken', 'broken/any'));
  await baton.deploy('workflow: canary-ask\nsteps: [{ sample: { append: Say hello. } }]\n');
  await baton.deploy(
    'workflow: canary-false\nsteps: [{ set: { a: 1 } }]\nensure: [{ tool: work/echo, effect: read, that: result.text == "no" }]\n',
  );
});

afterAll(async () => {
  await baton.stop();
  await postgres.close();
  rmSync(folder, { recursive: true });
});

const shownAt = (): string => String(baton.workers[0]?.ready['metrics']);

const ask = async (path: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(new URL(path, shownAt()));
  return { status: response.status, text: await response.text() };
};

test('a worker says in its log where its metrics are', async () => {
  await expect.poll(() => baton.workers[0]?.log()).toContain(`"metrics":"${shownAt()}"`);
});

/** `fetch` does not let a caller set the host header. */
async function statusFor(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  const [answer] = (await once(get(new URL('/healthz', shownAt()), { headers }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

/** The value of one line; undefined where there is none. */
async function figure(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = `${name}${inside.length === 0 ? '' : `{${inside.join(',')}}`} `;
  const { text } = await ask('/metrics');
  const found = text.split('\n').find((one) => one.startsWith(line));
  return found === undefined ? undefined : Number(found.slice(line.length));
}

test('it counts sessions by state, those who wait, calls, and errors by class', async () => {
  for (const name of ['canary-echo', 'canary-fail', 'canary-broken']) await baton.ended(await baton.start(name));
  const call = { server: 'work', method: 'tools/call' };
  expect(await figure('baton_mcp_calls_total', { ...call, outcome: 'ok' })).toBe(2);
  expect(await figure('baton_mcp_call_seconds_count', call)).toBe(2);
  expect(await figure('baton_mcp_session_open_seconds_count', { server: 'work', outcome: 'ok' })).toBe(1);
  const unreachable = { server: 'broken', outcome: 'server-unreachable' };
  expect(await figure('baton_mcp_session_open_seconds_count', unreachable)).toBeGreaterThan(0);
  expect(await figure('baton_mcp_sessions', { server: 'work', state: 'idle' })).toBe(1);
  expect(await figure('baton_worker_failures_total', { code: 'tool-failed' })).toBeGreaterThan(0);
  expect(await figure('baton_worker_runs_finished_total', { status: 'failed' })).toBe(2);
  expect(await figure('baton_worker_events_total', { type: 'run.finished' })).toBe(3);
  expect(await figure('baton_worker_concurrency')).toBe(50);

  await baton.ended(await baton.start('canary-ask'));
  const model = 'scripted/scripted';
  expect(await figure('baton_model_tokens_total', { model, kind: 'output' })).toBeGreaterThan(0);
  const { body } = await baton.api('GET', '/v1/costs');
  expect(body).toMatchObject({ data: [{ model, answers: 1, unpriced: 1 }] });

  await baton.ended(await baton.start('canary-false'));
  expect(await figure('baton_worker_runs_not_ensured_total', { code: 'not-achieved' })).toBe(1);

  const slow = [await baton.start('canary-slow'), await baton.start('canary-slow')];
  await expect.poll(() => figure('baton_mcp_waiting', { server: 'work' })).toBe(1);
  expect(await figure('baton_mcp_sessions', { server: 'work', state: 'busy' })).toBe(1);
  expect(await figure('baton_mcp_calls_in_flight', { server: 'work' })).toBe(1);
  expect(await figure('baton_worker_runs')).toBe(2);
  for (const id of slow) await baton.api('POST', `/v1/runs/${id}/cancel`, {});
  await Promise.all(slow.map((id) => baton.ended(id)));
  await expect.poll(() => figure('baton_mcp_sessions', { server: 'work', state: 'busy' })).toBe(0);
  expect(await figure('baton_mcp_waiting', { server: 'work' })).toBe(0);

  const { text } = await ask('/metrics');
  for (const canary of ['canary-argument', ...slow]) expect(text).not.toContain(canary);
  const failed = { workflow: 'canary-fail', status: 'failed' };
  expect(await figure('baton_workflow_runs_finished_total', failed)).toBe(1);
  const log = baton.workers[0]?.log() ?? '';
  const end = `"runId":"${slow[0]}","workflow":"canary-slow","status":"cancelled","msg":"a run ended"`;
  await expect.poll(() => baton.workers[0]?.log()).toContain(end);
  expect(log).toContain(`"runId":"${slow[0]}","workflow":"canary-slow","msg":"a run began"`);
});

test('the reference, the alerts and the dashboard name what it shows', async () => {
  const page = readFileSync(new URL('../docs/reference/metrics.md', import.meta.url), 'utf8');
  const shown = [(await ask('/metrics')).text, await (await fetch(new URL('/metrics', baton.url))).text()].join('\n');
  const names = new Set([...shown.matchAll(/^# TYPE (baton_\S+)/gm)].map(([, name]) => name ?? ''));
  const written = new Set([...page.matchAll(/`(baton_[a-z_]+)/g)].map(([, name]) => name ?? ''));
  expect([...names].toSorted()).toEqual([...written].toSorted());
  const files = ['rules.yaml', 'dashboard.json'].map((name) =>
    readFileSync(new URL(`../deploy/helm/files/${name}`, import.meta.url), 'utf8'),
  );
  const used = new Set([...files.join('\n').matchAll(/\bbaton_[a-z_]+/g)].map(([name]) => name));
  const isThere = (name: string): boolean => names.has(name) || names.has(name.replace(/_(?:count|sum|bucket)$/, ''));
  expect([...used].filter((name) => !isThere(name))).toEqual([]);
  const runbook = readFileSync(new URL('../docs/runbook.md', import.meta.url), 'utf8');
  const headings = [...runbook.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  const anchors = [...(files[0] ?? '').matchAll(/docs\/runbook\.md#([a-z-]+)/g)].map(([, anchor]) => anchor);
  expect(headings).toEqual(expect.arrayContaining(anchors));
  expect(anchors.length).toBeGreaterThan(9);
});

test('it says whether it lives and can work, and nothing else', async () => {
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
  const ok = { status: 'ok' };
  const { text } = await ask('/readyz');
  expect(JSON.parse(text)).toEqual({
    status: 'ok',
    parts: { clock: ok, history: ok, postgres: ok, queue: ok, rates: ok, worker: ok },
  });
  expect((await ask('/v1/runs')).status).toBe(404);
  expect((await fetch(shownAt(), { method: 'POST' })).status).toBe(405);
  expect(await statusFor({ origin: 'https://evil.example' })).toBe(403);
  expect(await statusFor({ host: 'evil.example' })).toBe(403);
  expect(await statusFor({ host: 'localhost:1' })).toBe(200);
  postgres.refuse(true);
  const readyz = async (): Promise<unknown> => {
    const { status, text } = await ask('/readyz');
    return [status, (JSON.parse(text) as { parts: { worker: object } }).parts.worker];
  };
  const late = { status: 'away', message: expect.stringContaining('heartbeat is late') as string };
  await expect.poll(readyz).toEqual([503, late]);
  expect(await figure('baton_worker_may_call')).toBe(0);
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
  postgres.refuse(false);
  await expect.poll(readyz).toEqual([200, ok]);
});

test('a worker that is asked to stop says that it takes nothing new', async () => {
  await baton.start('canary-slow');
  // Before the call has begun it would hand the run back, and be gone at once.
  await expect.poll(() => figure('baton_mcp_calls_in_flight', { server: 'work' })).toBe(1);
  const gone = baton.workers[0]?.kill('SIGTERM');
  const readyz = async (): Promise<string> => (await ask('/readyz')).text;
  await expect.poll(readyz).toContain('It is stopping, and takes nothing new.');
  await gone;
  await expect(ask('/healthz')).rejects.toThrow('fetch failed');
});
