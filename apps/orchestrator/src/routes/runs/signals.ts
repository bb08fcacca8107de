/** The route that sends a signal to a run. */
import { routes } from '@baton/api';
import { type RunAppender, checkSignalName, signalRun, checkEffectsOf, isRunOf } from '@baton/control';
import type { Plans } from '@baton/runner';
import type { Store } from '@baton/store';

import type { App } from '../../http/edge.ts';
import { route } from '../../http/route.ts';
import { runNotFound } from './runs.ts';

export interface SignalOptions extends RunAppender {
  readonly store: Store;
  readonly plans: Plans;
}

export function signalRoutes(app: App, options: SignalOptions): void {
  route(app, routes.signalRun, async (request, reply) => {
    const { id, name } = request.params;
    const { principal } = request;
    checkSignalName(name, '?name');
    const isTheirs = await isRunOf(options, id, principal, checkEffectsOf);
    const payload = request.body?.payload ?? null;
    const run = isTheirs ? await signalRun(options, id, { name, payload, by: principal.by }) : undefined;
    if (run === undefined) throw runNotFound(id, options.clock);
    reply.code(202);
    return { id, status: run.status, signal: name, seq: run.seq };
  });
}
