/**
 * An OpenTelemetry collector by its wire format: it takes what Baton sends over OTLP/HTTP, and reads it as OTLP says
 * (https://opentelemetry.io/docs/specs/otlp/, JSON). Debian and npm have no collector.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { createClient } from '@baton/api/client';
import { unawaited } from '@baton/primitives';

import { host, until } from './debian.ts';
import { triedRuns } from './trial.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface Received {
  readonly paths: Set<string>;
  readonly services: Set<string>;
  readonly spans: Span[];
}

function take(received: Received, path: string, type: string | undefined, body: Buffer): void {
  if (type !== 'application/json') throw new Error(`a collector takes JSON here, and got ${type}`);
  const { resourceSpans } = JSON.parse(body.toString('utf8')) as Export;
  received.paths.add(path);
  for (const { resource, scopeSpans } of resourceSpans) {
    const name = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue;
    if (name !== undefined) received.services.add(name);
    received.spans.push(...scopeSpans.flatMap(({ spans }) => spans));
  }
}

/** What the specification asks of a span. */
const isSpan = ({ traceId, spanId, startTimeUnixNano, endTimeUnixNano }: Span): boolean =>
  /^[0-9a-f]{32}$/.test(traceId) &&
  /^[0-9a-f]{16}$/.test(spanId) &&
  BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano);

/** The collector refuses for a while in the middle of the runs, which is no run's loss. */
export async function collected(DATABASE_URL: string): Promise<string> {
  const received: Received = { paths: new Set(), services: new Set(), spans: [] };
  let isAway = false;
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      if (isAway) return void response.writeHead(503).end();
      take(received, request.url ?? '', request.headers['content-type'], body);
      response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
    };
    unawaited(answer());
  }).listen(0, host);
  await once(server, 'listening');
  const endpoint = `http://${host}:${(server.address() as AddressInfo).port}`;
  try {
    const disturb = async (): Promise<void> => {
      isAway = true;
    };
    const look = async (url: string, key: string): Promise<string> => {
      isAway = false;
      const client = createClient({ url, key });
      const { id } = await client.runs.start('tried', {});
      await client.runs.wait(id);
      const trace = id.replaceAll('-', '');
      await until(() => {
        const spans = received.spans.filter(({ traceId }) => traceId === trace);
        if (!spans.some(({ parentSpanId = '' }) => parentSpanId === '')) throw new Error('the run has no root span');
      });
      if (!received.spans.every(isSpan)) throw new Error('a span is not as OTLP has it');
      const traces = new Set(received.spans.map(({ traceId }) => traceId)).size;
      return `${received.spans.length} spans of ${traces} traces, a trace for each run, from ${[...received.services].join()} at ${[...received.paths].join()}`;
    };
    return await triedRuns({ DATABASE_URL, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, { disturb, look });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
