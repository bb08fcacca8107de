/** Routes that start runs: of a deployed workflow, or of an inline one. */
import {
  type AcceptedRun,
  type AnyRunRequest,
  type EndedRun,
  type Run,
  type RunRequest,
  routes,
  ProblemError,
} from '@baton/api';
import type { Logger } from '@baton/boot';
import {
  control,
  EndHere,
  type InlineWorkflows,
  idempotencyOf,
  type JournalOfRun,
  type RunStarter,
  type RunOrder,
  journalOf,
  waitForEnd,
  type RunWatches,
  type RunView,
} from '@baton/control';
import { rowOf } from '@baton/engine';
import { durationMs } from '@baton/language';
import { defined } from '@baton/primitives';
import { type Clock, type Journal, type StoredHere, UnavailableError } from '@baton/runner';
import { type RunOutcome, type Store, getRun } from '@baton/store';
import type { Outbound } from '@baton/transports';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { App } from '../../http/edge.ts';
import type { HttpMetrics } from '../../http/httpMetrics.ts';
import { type Preferences, preferencesIn } from '../../http/preferHeader.ts';
import type { Rates } from '../../http/rates.ts';
import { route } from '../../http/route.ts';

export interface StartOptions {
  readonly store: Store;
  readonly journal: Journal;
  readonly starter: RunStarter;
  readonly rates: Pick<Rates, 'checkWorkflow'>;
  readonly inlines: InlineWorkflows;
  readonly watches: RunWatches;
  /** What drivers of this process store. */
  readonly stored: StoredHere;
  readonly view: RunView;
  readonly clock: Clock;
  readonly httpMetrics: HttpMetrics;
  readonly log: Logger;
  readonly outbound: Pick<Outbound, 'refusal'>;
}

export function startRoutes(app: App, parts: StartOptions): void {
  const starting = new StartRunsRoute(parts);
  route(app, routes.startWorkflow, async (request, reply) => {
    const { params, body } = request;
    const order = { workflow: params.id, version: body.version };
    return starting.start(request, reply, control.startWorkflow, { order, body, workflow: params.id });
  });
  route(app, routes.startRun, async (request, reply) => {
    const { body } = request;
    const order = orderIn(body, parts.inlines);
    if ('inline' in order) await parts.rates.checkWorkflow(request);
    return starting.start(request, reply, control.startRun, { order, body, workflow: body.workflow });
  });
}

/** A text with a colon is an inline workflow: names have no colon, and every workflow text has one. */
function orderIn({ workflow, version }: AnyRunRequest, inlines: InlineWorkflows): RunOrder {
  const pointer = '/workflow';
  if (typeof workflow !== 'string') {
    const text = JSON.stringify(workflow, null, 2);
    return { inline: () => inlines.put({ format: 'json', text }, pointer) };
  }
  if (workflow.includes(':')) return { inline: () => inlines.put({ format: 'yaml', text: workflow }, pointer) };
  return { workflow, version, pointer };
}

interface WantedRun {
  readonly order: RunOrder;
  readonly body: RunRequest;
  /** Its name in the request; the same idempotency key for another workflow is another request. */
  readonly workflow: unknown;
}

interface StartedHere {
  readonly isNew: boolean;
  /** The end of a new run, where a driver of this process writes it. */
  readonly end?: EndHere | undefined;
}

class StartRunsRoute {
  readonly #parts: StartOptions;

  constructor(parts: StartOptions) {
    this.#parts = parts;
  }

  async start(
    { id: requestId, headers, principal }: Pick<FastifyRequest, 'id' | 'headers' | 'principal'>,
    reply: FastifyReply,
    operation: (typeof control)['startWorkflow' | 'startRun'],
    { order, body, workflow }: WantedRun,
  ): Promise<Run | EndedRun | AcceptedRun> {
    const { httpMetrics } = this.#parts;
    const { inputs, priority, tags, delay, callback } = body;
    const refusal = callback && this.#parts.outbound.refusal(callback.url);
    if (refusal !== undefined) throw blocked(refusal);
    const delayMs = delay === undefined ? undefined : durationMs(delay);
    const idempotency = idempotencyOf(headers['idempotency-key'], principal.id, { ...body, workflow });
    const preferences = preferencesIn(headers['prefer']);
    const end = preferences.waitMs > 0 ? new EndHere(this.#parts.stored) : undefined;
    const onRequest = end && ((...run: Parameters<EndHere['begin']>) => end.begin(...run));
    const input = { order, inputs, priority, tags, delayMs, callback, idempotency, onRequest };
    try {
      const { runId, isNew } = await operation(this.#parts, principal, input);
      httpMetrics.started(isNew);
      this.#parts.log.info({ requestId, runId, isNew }, 'a run was requested');
      reply.header('location', `/v1/runs/${runId}`);
      if (!isNew) reply.header('idempotency-replayed', 'true');
      return await this.#answer(reply, preferences, runId, isNew ? { isNew, end } : { isNew });
    } finally {
      end?.close();
    }
  }

  async #answer(
    reply: FastifyReply,
    preferences: Preferences,
    runId: string,
    started: StartedHere,
  ): Promise<Run | EndedRun | AcceptedRun> {
    const { isNew } = started;
    const finished = await this.#finished(preferences, reply, runId, started);
    if (finished !== undefined) {
      reply.code(200);
      return finished;
    }
    const mayHaveBegun = !isNew || preferences.waitMs > 0;
    // The run is accepted: a client that was told otherwise could start a second one.
    const found = mayHaveBegun ? await getRun(this.#parts.store, runId).catch(orUnknown) : undefined;
    reply.code(202);
    return { id: runId, status: found?.status ?? 'queued' };
  }

  /** The ended run, if the client waits and it ends in time. */
  async #finished(
    { waitMs: forMs, isMinimal }: Preferences,
    reply: FastifyReply,
    runId: string,
    { isNew, end }: StartedHere,
  ): Promise<Run | EndedRun | undefined> {
    if (forMs === 0) return undefined;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    reply.raw.once('close', leave);
    reply.header('preference-applied', `${isMinimal ? 'return=minimal, ' : ''}wait=${forMs / 1_000}`);
    const { store, journal, watches, clock, view } = this.#parts;
    const waiting = { runId, forMs, mayHaveEnded: !isNew, signal: gone.signal, watches, clock };
    try {
      if (isMinimal) {
        const here = end && { end, endOf: outcomeOf };
        const outcome = await waitForEnd({ ...waiting, look: () => store.findOutcome(runId), ...defined({ here }) });
        return outcome && (await view.ended(runId, outcome));
      }
      const here = end && { end, endOf: ({ events }: JournalOfRun) => events };
      const events = await waitForEnd({ ...waiting, look: journalOf(runId, journal), ...defined({ here }) });
      return events && (await view.shown(runId, events));
    } finally {
      reply.raw.off('close', leave);
    }
  }
}

function outcomeOf({ run }: JournalOfRun): RunOutcome {
  const { status, outputs, failure } = rowOf(run);
  return { status, ...defined({ outputs, failure }) };
}

function orUnknown(error: unknown): undefined {
  if (!(error instanceof UnavailableError)) throw error;
}

const networksHint = 'BATON_CALLBACK_NETWORKS of the orchestrator names the networks that callbacks may go to';

const blocked = (message: string): ProblemError =>
  new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/callback/url', code: 'blocked-address', message, hint: networksHint }],
  });
