import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startTracing } from '@baton/boot';
import { freshStore, readLedger, toolsServer, traceCollector } from '@baton/testing';
import { expect, test } from 'vitest';

import { openTestApp } from './testing/testApp.ts';
import { startTestWorker } from './testing/testWorker.ts';

const workflow = `
workflow: traced
steps:
  - { id: said, tool: tools/echo, with: { message: "a secret of the author" } }
  - { id: bad, tool: tools/fail, effect: read, retry: { attempts: 1 }, with: { message: it broke } }
`;

test('a run is one trace, from its trigger to its tools, and holds nothing confidential', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'baton-traces-'));
  const ledger = join(folder, 'ledger');
  const servers = { tools: { ...toolsServer(ledger) } };
  const [store, collector] = await Promise.all([freshStore(), traceCollector()]);
  const { endpoint, spans } = collector;
  const tracing = await startTracing({ endpoint, service: 'baton-orchestrator', version: 'test' });
  const app = await openTestApp(store, store.url, { servers, parts: { tracing } });
  const worker = await startTestWorker(store.url, servers, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const { body } = await app.ask('POST /v1/runs', { json: { workflow }, headers: { prefer: 'wait=60' } });
  expect(body).toMatchObject({ status: 'failed' });
  // What is left to tell is told when a process ends.
  await worker.stop();
  await tracing?.close();
  await app.close();
  await store.close();
  const root = spans.find(({ name }) => name === 'run traced');
  expect(root).toMatchObject({ traceId: String(body['id']).replaceAll('-', ''), status: { message: 'tool-failed' } });
  const parts = spans.filter((span) => span !== root);
  expect(parts.map(({ name }) => name).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    'request traced',
    'tools/call echo',
    'tools/call fail',
  ]);
  for (const { traceId, parentSpanId } of parts) {
    expect({ traceId, parentSpanId }).toEqual({ traceId: root?.traceId, parentSpanId: root?.spanId });
  }
  const told = readLedger(ledger).map(({ call, meta }) => [`tools/call ${call}`, meta?.['traceparent']]);
  const called = parts.filter(({ name }) => name.startsWith('tools/'));
  expect(told).toEqual(called.map(({ name, traceId, spanId }) => [name, `00-${traceId}-${spanId}-01`]));
  expect(JSON.stringify(spans)).not.toMatch(/secret of the author|it broke/);
  await collector.close();
  await rm(folder, { recursive: true, force: true });
});
