/** Which workflows a key may see. */
import { ProblemError } from '@baton/api';
import { failureCodes, FailureError } from '@baton/engine';

import { type Principal, may } from './scopes.ts';

/** Whether the key may see the workflow. Other workflows do not exist for it. */
export const maySee = ({ workflows }: Pick<Principal, 'workflows'>, workflow: string): boolean =>
  workflows?.has(workflow) ?? true;

/** Throws `ProblemError` if the key may not see one of the workflows. */
export function checkMaySee(principal: Pick<Principal, 'workflows'>, workflows: readonly string[]): void {
  const beyond = workflows.find((one) => !maySee(principal, one));
  if (beyond !== undefined)
    throw new ProblemError('forbidden', `This key is limited to other workflows than ${beyond}.`);
}

/** The workflows that the key may see; undefined: all. */
export const reachOf = ({ workflows }: Pick<Principal, 'workflows'>): readonly string[] | undefined =>
  workflows && [...workflows];

/**
 * Whether the key may read the runs of all workflows. Only such a key is shown the words of a server's process, its
 * stderr and its errors: they can repeat the arguments of any run.
 */
export const readsAllRuns = (principal: Pick<Principal, 'workflows' | 'scopes'>): boolean =>
  principal.workflows === undefined && may(principal, ['runs:read', 'runs:write']);

/** Why a server could not be asked, in words that the key may read. */
export const reasonFor = (
  principal: Pick<Principal, 'workflows' | 'scopes'>,
  { code, failure }: FailureError,
): string => (readsAllRuns(principal) ? failure.message : failureCodes[code].means);

/** The answer of a server. Rejects with `FailureError`, in words that the key may read. */
export async function answerFor<Answer>(principal: Principal, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { code, delivery, retryAfterMs } = error;
    const more = { delivery, cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    throw new FailureError(code, reasonFor(principal, error), more);
  }
}
