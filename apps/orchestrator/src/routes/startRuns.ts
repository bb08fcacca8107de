/** Starting runs: of a deployed workflow, or of one that comes with the request. */
import type { Json } from '@baton/language';
import { durationMs, limits } from '@baton/language';
import type { Clock, Journal } from '@baton/runner';
import type { Store } from '@baton/store';
import { getRun } from '@baton/store';
import type { Outbound } from '@baton/transports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';

import type { InlineWorkflows } from '../deploy/inline.ts';
import type { Access, App } from '../http/edge.ts';
import type { Figures } from '../http/figures.ts';
import { isStorableText } from '../http/jsonLimits.ts';
import { ProblemError } from '../http/problem.ts';
import { waitMsOf } from '../intake/prefer.ts';
import { idempotencyOf } from '../intake/starter.ts';
import type { Starter, Wanted } from '../intake/starter.ts';
import { waitForEnd } from '../live/waitForEnd.ts';
import type { Watches } from '../live/watches.ts';
import { RunShape, RunStatuses } from '../shapes/run.ts';
import type { RunView } from '../shapes/runView.ts';
import { AnyValue, RunId, WorkflowName } from '../shapes/values.ts';
import { secretNameForm } from './secrets.ts';

const tags = ['Runs'];
const access: Access = ['runs:write'];

const Delay = z
  .string()
  .refine((text) => (durationMs(text) ?? Infinity) <= limits.step.waitMs, 'a duration such as 30s, 5m or 2h')
  .meta({ description: 'A duration such as `30s`: the run begins so much later.' });

const Tag = z.string().min(1).max(limits.run.tagCharacters).refine(isStorableText, 'well-formed text without NUL');

const options = {
  inputs: z.record(z.string(), AnyValue).optional().meta({ description: 'As the workflow’s `inputs` ask for them.' }),
  version: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional()
    .meta({ description: 'Absent: the newest.' }),
  priority: z
    .int()
    .min(0)
    .max(2 ** 21 - 1)
    .optional()
    .meta({ description: 'Smaller is sooner; 0: first come, first served, before all others.' }),
  delay: Delay.optional(),
  tags: z.array(Tag).max(limits.run.tags).optional(),
  callback: z
    .strictObject({
      url: z.string().min(1).max(2_000).refine(isStorableText, 'well-formed text without NUL'),
      secret: z.string().regex(secretNameForm).meta({ description: 'Name of the stored secret that signs.' }),
    })
    .optional()
    .meta({
      id: 'Callback',
      description: 'Is told of the end of the run, as a Standard Webhook: `{ type: "run.finished", timestamp, data }`.',
    }),
};

const ByName = z.strictObject(options).meta({ id: 'RunRequest' });

const Anything = z
  .strictObject({
    workflow: z
      .union([z.string().min(1), z.record(z.string(), AnyValue)], { error: 'a name, a workflow, or its YAML text' })
      .meta({ description: 'A name; or the workflow itself, as an object or as YAML text.' }),
    ...options,
  })
  .meta({ id: 'AnyRunRequest' });

export const Accepted = z.strictObject({ id: RunId, status: RunStatuses }).meta({ id: 'Accepted' });

export const Headers = z.looseObject({
  'idempotency-key': z
    .string()
    .optional()
    .meta({ description: 'The same key with the same body answers with the same run.' }),
  prefer: z
    .string()
    .optional()
    .meta({ description: '`wait=30`: answer with the finished run, if it finishes within so many seconds.' }),
});

const answers = {
  200: RunShape.meta({ description: 'The run, finished: it was waited for.' }),
  202: Accepted.meta({ description: 'The run is on record, and will be done.' }),
};

export interface StartOptions {
  readonly store: Store;
  readonly journal: Journal;
  readonly starter: Starter;
  readonly inlines: InlineWorkflows;
  readonly watches: Watches;
  readonly view: RunView;
  readonly clock: Clock;
  readonly figures: Figures;
  readonly outbound: Pick<Outbound, 'refusal'>;
}

export function startRoutes(app: App, parts: StartOptions): void {
  const starting = new Starting(parts);
  app.post(
    '/v1/workflows/:id/runs',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Start a run of a workflow',
        params: z.strictObject({ id: WorkflowName }),
        headers: Headers,
        body: ByName,
        response: answers,
      },
    },
    async (request, reply) => {
      const { id: workflow } = request.params;
      const { version } = request.body;
      return starting.start(request, reply, { workflow, version }, request.body, workflow);
    },
  );
  app.post(
    '/v1/runs',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Start a run of a workflow, by name or given here',
        headers: Headers,
        body: Anything,
        response: answers,
      },
    },
    async (request, reply) => {
      const wanted = wantedIn(request.body, parts.inlines);
      return starting.start(request, reply, wanted, request.body, request.body.workflow);
    },
  );
}

type StartBody = z.infer<typeof ByName>;
/** What is asked of a reply here, whatever its route's own type. */
type Reply = {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  readonly raw: FastifyReply['raw'];
};
type Answer = z.infer<typeof RunShape> | z.infer<typeof Accepted>;

/** Text that can be no name is a workflow: every workflow has a colon in it. */
function wantedIn({ workflow, version }: z.infer<typeof Anything>, inlines: InlineWorkflows): Wanted {
  const pointer = '/workflow';
  if (typeof workflow !== 'string') {
    const text = JSON.stringify(workflow, null, 2);
    return { inline: () => inlines.put({ format: 'json', text }, pointer) };
  }
  if (workflow.includes(':')) return { inline: () => inlines.put({ format: 'yaml', text: workflow }, pointer) };
  return { workflow, version, pointer };
}

class Starting {
  readonly #parts: StartOptions;

  constructor(parts: StartOptions) {
    this.#parts = parts;
  }

  /** `workflow`: as the request names it; the same key for another one is another request. */
  async start(
    request: Pick<FastifyRequest, 'headers' | 'principal'>,
    reply: Reply,
    wanted: Wanted,
    body: StartBody,
    workflow: unknown,
  ): Promise<Answer> {
    const { starter, figures } = this.#parts;
    const { principal } = request;
    const { inputs, priority, tags, delay, callback } = body;
    const refusal = callback && this.#parts.outbound.refusal(callback.url);
    if (refusal !== undefined) throw blocked(refusal);
    const delayMs = delay === undefined ? undefined : durationMs(delay);
    const idempotency = idempotencyOf(request.headers['idempotency-key'], principal.id, { ...body, workflow });
    const { by } = principal;
    const order = { inputs: inputs as Json | undefined, priority, tags, delayMs, by, principal, callback };
    const { runId, isNew } = await starter.start(wanted, order, idempotency);
    figures.started(isNew);
    reply.header('location', `/v1/runs/${runId}`);
    if (!isNew) reply.header('idempotency-replayed', 'true');
    const finished = await this.#finished(request, reply, runId, isNew);
    if (finished !== undefined) {
      reply.code(200);
      return finished;
    }
    const status = isNew ? 'queued' : ((await getRun(this.#parts.store, runId))?.status ?? 'queued');
    reply.code(202);
    return { id: runId, status };
  }

  /** The run, where the client waits for it and it ends in time. */
  async #finished(
    request: Pick<FastifyRequest, 'headers'>,
    reply: Reply,
    runId: string,
    isNew: boolean,
  ): Promise<z.infer<typeof RunShape> | undefined> {
    const forMs = waitMsOf(request.headers['prefer']);
    if (forMs === 0) return undefined;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    reply.raw.once('close', leave);
    reply.header('preference-applied', `wait=${forMs / 1_000}`);
    const { journal, watches, clock, view } = this.#parts;
    const events = await waitForEnd({ runId, forMs, isOld: !isNew, signal: gone.signal, journal, watches, clock });
    reply.raw.off('close', leave);
    return events && view.shown(runId, events);
  }
}

const blocked = (message: string): ProblemError =>
  new ProblemError('validation-failed', message, {
    errors: [{ pointer: '/callback/url', code: 'blocked-address', message }],
  });
