/** Failures of calls that Baton itself stops. */
import { type Delivery, FailureError } from '@baton/engine';

export const cancelled = (delivery: Delivery, signal: AbortSignal): FailureError =>
  new FailureError('cancelled', `The call was stopped: ${reasonOf(signal)}.`, { delivery });

export const reasonOf = ({ reason }: AbortSignal): string =>
  typeof reason === 'string' ? reason : 'the run is being stopped';

/** The failure of a call for which `beginSend` returned false. */
export const workerLost = (): FailureError =>
  new FailureError('worker-lost', 'The worker may not act any more.', { delivery: 'unsent' });
