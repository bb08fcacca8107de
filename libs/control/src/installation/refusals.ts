/**
 * Handlers that refuse. They declare the same capabilities as workers, because a server may offer other tools to a
 * client without them. A process that drives runs answers such requests; one that does not only lists tools.
 */
import { FailureError } from '@baton/engine';
import type { Handlers } from '@baton/transports';

export const refusals: Required<Pick<Handlers, 'sampling' | 'elicitation'>> = {
  sampling: async (_params, { server }) => {
    const message = `The server "${server}" asks for a model, but no call is in flight.`;
    throw new FailureError('server-rejected', message, { delivery: 'answered' });
  },
  elicitation: async () => ({ action: 'decline' }),
};
