/** Checks secrets in inline workflows: otherwise a key that may start any workflow could send any secret anywhere. */
import { ProblemError } from '@baton/api';
import { type Plan, stepsOf } from '@baton/language';

import { type Principal, may } from './scopes.ts';

/** Throws `ProblemError` if the inline workflow uses secrets and the key may not. */
export function checkSecretUse(principal: Principal, plan: Plan): void {
  if (may(principal, ['secrets:use'])) return;
  const [name] = stepsOf(plan).flatMap((step) => (step.verb === 'tool' ? step.with.secrets : []));
  if (name === undefined) return;
  const detail = `This workflow uses the secret ${JSON.stringify(name)}. An inline workflow may use secrets only if the key has the scope secrets:use: deploy the workflow, or use such a key.`;
  throw new ProblemError('forbidden', detail);
}
