/** The failure of a call made while the sessions are being closed. */
import { FailureError } from '@baton/engine';

export const shutDown = (): FailureError =>
  new FailureError('cancelled', 'The sessions are being closed.', { delivery: 'unsent' });
