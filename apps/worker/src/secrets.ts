/** Secrets of workflows: none are kept yet, so every name is unknown. */
import { FailureError } from '@baton/engine';
import type { Secrets } from '@baton/runner';

export const noSecrets: Secrets = async (names) => {
  throw new FailureError('invalid-arguments', `There is no secret named ${names.join(', ')}.`, { delivery: 'unsent' });
};
