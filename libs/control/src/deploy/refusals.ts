/**
 * Handlers that refuse. They declare the same capabilities as workers, because a server may offer other tools to a
 * client without them. Workers answer such requests; the orchestrator only lists tools.
 */
import { FailureError } from '@baton/engine';
import type { Handlers } from '@baton/transports';

export const refusals: Pick<Handlers, 'sampling' | 'elicitation'> = {
  sampling: async (_params, { server }) => {
    const message = `The server "${server}" asks for a model, but no call is in flight.`;
    throw new FailureError('server-rejected', message, { delivery: 'answered' });
  },
  elicitation: async () => ({ action: 'decline' }),
};
