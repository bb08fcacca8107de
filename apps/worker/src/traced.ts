/** Traces calls and samples, each under its run; servers receive the trace context of their call. */
import type { OpenSpan, SpanFacts, Tracing } from '@baton/boot';
import { type Run, type RunEvent, FailureError } from '@baton/engine';
import type { CallContext, Calls, Models } from '@baton/runner';

export function tracedCalls(calls: Calls, tracing: Tracing): Calls {
  return {
    callTool: (call, context) =>
      traced(tracing, context, about('tools/call', call.server, call.tool), (inner) => calls.callTool(call, inner)),
    getPrompt: (call, context) =>
      traced(tracing, context, about('prompts/get', call.server, call.prompt), (inner) => calls.getPrompt(call, inner)),
    readResource: (call, context) =>
      traced(tracing, context, about('resources/read', call.server, undefined), (inner) =>
        calls.readResource(call, inner),
      ),
    release: (runId) => calls.release(runId),
  };
}

export const tracedModels = (models: Models, tracing: Tracing): Models => ({
  sample: (request, { context, ...options }) =>
    traced(tracing, context, { name: 'sample', attributes: {} }, (inner) =>
      models.sample(request, { ...options, context: inner }),
    ),
});

/** Ends the trace of a run when its last event is recorded. */
export function endTrace(tracing: Tracing, run: Run, events: readonly RunEvent[]): void {
  const end = events.find((event) => event.type === 'run.finished');
  if (end === undefined) return;
  const { workflow, version = 0, createdAt: startMs } = run;
  const attributes = { 'baton.workflow': workflow, 'baton.workflow.version': version, 'baton.run.status': end.status };
  const failure = end.status === 'succeeded' ? undefined : end.failure.code;
  tracing.tellRun(run.id, { name: `run ${workflow}`, attributes, startMs, endMs: end.at, failure });
}

/** Span names and attributes of OpenTelemetry's conventions for MCP. */
const about = (method: string, server: string, name: string | undefined): SpanFacts => ({
  name: name === undefined ? method : `${method} ${name}`,
  attributes: {
    'mcp.method.name': method,
    'baton.server': server,
    ...(method === 'tools/call' && name !== undefined ? { 'gen_ai.tool.name': name } : {}),
    ...(method === 'prompts/get' && name !== undefined ? { 'gen_ai.prompt.name': name } : {}),
  },
});

async function traced<Result>(
  tracing: Tracing,
  context: CallContext,
  { name, attributes }: SpanFacts,
  call: (context: CallContext) => Promise<Result>,
): Promise<Result> {
  const { runId, attemptKey } = context;
  const span: OpenSpan = tracing.begin(runId, { name, attributes: { ...attributes, 'baton.attempt': attemptKey } });
  try {
    const result = await call({ ...context, traceparent: span.traceparent });
    span.end();
    return result;
  } catch (error) {
    span.end(error instanceof FailureError ? error.code : 'error');
    throw error;
  }
}
