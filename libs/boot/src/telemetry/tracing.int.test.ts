import { hostileTls, traceCollector } from '@baton/testing';
import { expect, test } from 'vitest';

import { startTracing } from './startTracing.ts';

const runId = '019a3185-0000-7000-8000-00000000abcd';

test('every process tells its part of a run, and the parts are one trace', async () => {
  const collector = await traceCollector();
  const { endpoint, spans } = collector;
  const [one, other] = await Promise.all(
    ['orchestrator', 'worker'].map((service) => startTracing({ endpoint, service, version: 'test' })),
  );
  one?.tell(runId, { name: 'request hello', attributes: {}, startMs: 1, endMs: 2 });
  const call = other?.begin(runId, { name: 'tools/call echo', attributes: { 'baton.server': 'tools' } });
  call?.end('timeout');
  other?.tellRun(runId, { name: 'run hello', attributes: {}, startMs: 1, endMs: 9 });
  await Promise.all([one?.close(), other?.close()]);
  await collector.close();
  const [request, called, root] = ['request hello', 'tools/call echo', 'run hello'].map((name) =>
    spans.find((span) => span.name === name),
  );
  expect(spans).toHaveLength(3);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([runId.replaceAll('-', '')]));
  expect([request?.parentSpanId, called?.parentSpanId]).toEqual([root?.spanId, root?.spanId]);
  expect(root?.parentSpanId ?? '').toBe('');
  expect(call?.traceparent).toBe(`00-${called?.traceId}-${called?.spanId}-01`);
  expect(called?.status).toMatchObject({ code: 2, message: 'timeout' });
});

test('a collector that ends TLS in every bad way gets nothing, and no error of a socket ends the process', async () => {
  const server = await hostileTls();
  for (let times = 1; server.ended() < 16; times += 1) {
    const endpoint = `https://127.0.0.1:${server.port}`;
    const tracing = await startTracing({ endpoint, service: 'worker', version: 'test' });
    tracing?.tell(runId, { name: `request ${times}`, attributes: {}, startMs: 1, endMs: 2 });
    await tracing?.close();
  }
  expect(server.ended()).toBeGreaterThan(15);
  await server.close();
});

test('without a collector there is nothing', async () => {
  expect(await startTracing({ endpoint: undefined, service: 'worker', version: 'test' })).toBeUndefined();
});
