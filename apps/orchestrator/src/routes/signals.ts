/** Signals: what a run is told from outside. */
import type { Json } from '@baton/language';
import { limits } from '@baton/language';
import type { Store } from '@baton/store';
import * as z from 'zod';

import type { App } from '../http/edge.ts';
import { isStorableText } from '../http/jsonLimits.ts';
import { ProblemError } from '../http/problem.ts';
import type { Outside } from '../intake/outside.ts';
import { signalRun } from '../intake/signal.ts';
import { RunStatuses } from '../shapes/run.ts';
import { AnyValue, RunId } from '../shapes/values.ts';
import { isRunOf, noRun } from './runs.ts';

const Body = z
  .strictObject({ payload: AnyValue.optional().meta({ description: 'The output of the step that takes it.' }) })
  .meta({ id: 'Signal' });

const Signalled = z
  .strictObject({
    id: RunId,
    status: RunStatuses,
    signal: z.string(),
    seq: z.int().meta({ description: 'Of its event in the journal.' }),
  })
  .meta({ id: 'Signalled' });

export interface SignalOptions extends Outside {
  readonly store: Store;
}

export function signalRoutes(app: App, options: SignalOptions): void {
  app.post(
    '/v1/runs/:id/signals/:name',
    {
      config: { access: ['runs:write'] },
      schema: {
        tags: ['Runs'],
        summary: 'Signal a run',
        description: 'It is kept until a step of the run waits for it.',
        params: z.strictObject({ id: z.string(), name: z.string() }),
        body: Body.nullish(),
        response: { 202: Signalled },
      },
    },
    async (request, reply) => {
      const { id, name } = request.params;
      const { principal } = request;
      checkName(name);
      const isTheirs = await isRunOf(options.store, id, principal);
      const payload = (request.body?.payload ?? null) as Json;
      const run = isTheirs ? await signalRun(options, id, { name, payload, by: principal.by }) : undefined;
      if (run === undefined) throw noRun(id);
      reply.code(202);
      return { id, status: run.status, signal: name, seq: run.seq };
    },
  );
}

/** Throws `ProblemError`. */
function checkName(name: string): void {
  const { signalCharacters } = limits.step;
  if (name.length <= signalCharacters && isStorableText(name)) return;
  const message = `A signal is named with up to ${signalCharacters} characters of well-formed text.`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: '?name', code: 'wrong-value', message }],
  });
}
