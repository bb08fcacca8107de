/** The route that sends a signal to a run. */
import { control } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { serve } from '../../http/route.ts';

export function signalRoutes(app: App, options: Parameters<typeof control.signalRun>[0]): void {
  serve(app, control.signalRun, options, {
    input: ({ params, body }) => ({ ...params, payload: body?.payload ?? null, pointer: '?name' }),
    answer: ({ status, seq }, reply, { params: { id, name } }) => {
      reply.code(202);
      return { id, status, signal: name, seq };
    },
  });
}
