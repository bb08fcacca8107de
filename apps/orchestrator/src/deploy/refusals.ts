/** Servers offer other tools to who answers their questions. Workers do; here they are only asked what they offer. */
import { FailureError } from '@baton/engine';
import type { Handlers } from '@baton/transports';

export const refusals: Pick<Handlers, 'sampling' | 'elicitation'> = {
  sampling: async (_params, { server }) => {
    const message = `The server "${server}" asks for a model, and no call is under way.`;
    throw new FailureError('server-rejected', message, { delivery: 'answered' });
  },
  elicitation: async () => ({ action: 'decline' }),
};
