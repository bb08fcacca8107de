/** Routes of polls: list with their last outcomes, poll now, reset. */
import { control, type PollParts } from '@baton/control';

import type { App } from '../../http/edge.ts';
import { serve, serveAsIs, serveList } from '../../http/route.ts';

export function pollRoutes(app: App, options: PollParts): void {
  const isPlace = (text: string): boolean => text !== '';
  serveList(app, control.listPolls, options, { list: 'polls', isPlace, shown: (poll) => poll });
  serveAsIs(app, control.getPoll, options);
  serve(app, control.pollNow, options, {
    input: ({ params }) => params,
    answer: ({ kind: outcome, ...rest }) => ({
      outcome,
      ...('reason' in rest ? { reason: rest.reason } : {}),
      ...('found' in rest
        ? {
            found: {
              ...rest.found,
              runs: [...rest.found.runs],
              reasons: rest.found.reasons.map((one) => ({ ...one })),
              refusals: rest.found.refusals.map((one) => ({ ...one })),
            },
          }
        : {}),
    }),
  });
  serve(app, control.resetPoll, options, {
    input: ({ params: { id }, body: reset }) => ({ id, reset }),
    answer: (poll) => poll,
  });
}
