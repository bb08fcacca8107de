/** The failure of a call that was cancelled. */
import type { Delivery } from '@baton/engine';
import { FailureError } from '@baton/engine';

export const cancelled = (delivery: Delivery, signal: AbortSignal): FailureError =>
  new FailureError('cancelled', `The call was stopped: ${reasonOf(signal)}.`, { delivery });

export const reasonOf = ({ reason }: AbortSignal): string =>
  typeof reason === 'string' ? reason : 'the run is being stopped';

export const shutDown = (): FailureError =>
  new FailureError('cancelled', 'The sessions are being closed.', { delivery: 'unsent' });
