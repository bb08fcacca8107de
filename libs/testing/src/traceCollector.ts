/** An OpenTelemetry collector that takes traces over HTTP, in JSON, and keeps them. */
import { once } from 'node:events';
import { createServer } from 'node:http';

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty, or absent: the root. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface TraceCollector {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT wants it. */
  readonly endpoint: string;
  /** So far. */
  readonly spans: readonly CollectedSpan[];
  close(): Promise<void>;
}

interface Body {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[] }[];
}

export async function traceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    spans,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
