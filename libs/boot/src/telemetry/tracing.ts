/**
 * Traces for OpenTelemetry: one for each run, under the run's own id. So each process reports its part of a run without
 * passing anything on, and a run that another worker continues stays one trace. Its root span is sent when the run is
 * over.
 *
 * Names and ids only: no arguments, no results, no messages.
 */
import { createHash } from 'node:crypto';

import { endsWithin } from '@baton/primitives';
import {
  type Attributes,
  type Span,
  type SpanOptions,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { type IdGenerator, BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace';

export interface TracingOptions {
  /** Of a collector that takes OTLP over HTTP; `/v1/traces` is added. */
  readonly endpoint: string;
  readonly service: string;
  readonly version: string;
}

export interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
}

export interface OpenSpan {
  /** For the called server: `traceparent` of W3C Trace Context. */
  readonly traceparent: string;
  /** `failure`: its code, where it did not succeed. */
  end(failure?: string): void;
}

interface PastSpan extends SpanFacts {
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly failure?: string | undefined;
}

export interface Tracing {
  /** A call to another system, which begins now. */
  begin(runId: string, facts: SpanFacts): OpenSpan;
  /** A part of a run that is over. */
  tell(runId: string, span: PastSpan): void;
  /** The whole run, when it is over. */
  tellRun(runId: string, span: PastSpan): void;
  /** Resolves when everything is sent, or cannot be soon. */
  close(): Promise<void>;
}

/** A collector that is away keeps no process from ending. */
const shutdownMs = 2_000;

export function openTracing({ endpoint, service, version }: TracingOptions): Tracing {
  const ids = new ChosenIds();
  const url = new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  const tracer = provider.getTracer('baton', version);
  const under = (runId: string, { name, attributes }: SpanFacts, options: SpanOptions): Span => {
    const root = { ...rootOf(runId), traceFlags: TraceFlags.SAMPLED, isRemote: true };
    const about = { ...options, attributes: { ...attributes, 'baton.run.id': runId } };
    return tracer.startSpan(name, about, trace.setSpanContext(ROOT_CONTEXT, root));
  };
  return {
    begin: (runId, facts) => {
      const span = under(runId, facts, { kind: SpanKind.CLIENT });
      const { traceId, spanId } = span.spanContext();
      return { traceparent: `00-${traceId}-${spanId}-01`, end: (failure) => end(span, failure) };
    },
    tell: (runId, past) => end(under(runId, past, { startTime: past.startMs }), past.failure, past.endMs),
    tellRun: (runId, past) => {
      const { name, attributes, startMs: startTime } = past;
      const about = { root: true, startTime, attributes: { ...attributes, 'baton.run.id': runId } };
      const span = ids.choose(rootOf(runId), () => tracer.startSpan(name, about, ROOT_CONTEXT));
      end(span, past.failure, past.endMs);
    },
    close: async () => {
      await endsWithin(provider.shutdown(), shutdownMs);
    },
  };
}

function end(span: Span, failure: string | undefined, atMs?: number): void {
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(atMs);
}

interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

/** A UUID has as many bits as the id of a trace. */
const rootOf = (runId: string): Ids => ({
  traceId: runId.replaceAll('-', '').toLowerCase(),
  spanId: createHash('sha256').update(runId).digest('hex').slice(0, 16),
});

/** Random ids; for a moment, those that were chosen. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #chosen: Ids | undefined;

  choose<Result>(ids: Ids, use: () => Result): Result {
    this.#chosen = ids;
    try {
      return use();
    } finally {
      this.#chosen = undefined;
    }
  }

  generateTraceId(): string {
    return this.#chosen?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#chosen?.spanId ?? this.#random.generateSpanId();
  }
}
