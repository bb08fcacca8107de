/** Which workflows a key may see. */
import { ProblemError } from '@baton/api';
import { failureCodes, FailureError } from '@baton/engine';
import { coversPattern, matchesWorkflow } from '@baton/language';
import { isWithoutLogin } from '@baton/runner';

import { type Principal, may } from './scopes.ts';

/** Whether the key may see the workflow. Other workflows do not exist for it. */
export const maySee = ({ workflows }: Pick<Principal, 'workflows'>, workflow: string): boolean =>
  workflows === undefined || matchesWorkflow(workflows, workflow);

/** Throws `ProblemError` if the key may not see one of the workflows. */
export function checkMaySee(principal: Pick<Principal, 'workflows'>, workflows: readonly string[]): void {
  const beyond = workflows.find((one) => !maySee(principal, one));
  if (beyond !== undefined)
    throw new ProblemError('forbidden', `This key is limited to other workflows than ${beyond}.`);
}

/** Patterns of the workflows that the key may see; undefined: all. */
export const reachOf = ({ workflows }: Pick<Principal, 'workflows'>): readonly string[] | undefined =>
  workflows && [...workflows];

/** What the patterns have in common with those of the key: it learns no name beyond its own. */
export function reachedOf({ workflows }: Pick<Principal, 'workflows'>, patterns: readonly string[]): readonly string[] {
  if (workflows === undefined) return patterns;
  const shared = patterns.flatMap((one) =>
    coversPattern(workflows, one) ? [one] : [...workflows].filter((own) => coversPattern([one], own)),
  );
  return [...new Set(shared)];
}

/** Whether a server exists for the key: for one of the workflows that it reaches. `allow`: of the server. */
export const reachesServer = (principal: Pick<Principal, 'workflows'>, allow: readonly string[] | undefined): boolean =>
  allow === undefined || reachedOf(principal, allow).length > 0;

/**
 * Whether the key may read the runs of all workflows. Only such a key is shown the words of a server's process, its
 * stderr and its errors: they can repeat the arguments of any run.
 */
export const readsAllRuns = (principal: Pick<Principal, 'workflows' | 'scopes' | 'grants' | 'hidesValues'>): boolean =>
  principal.hidesValues !== true &&
  (principal.grants ?? [principal]).some(
    (rights) => rights.workflows === undefined && may(rights, ['runs:read', 'runs:write']),
  );

/** Why a server could not be asked, in words that the key may read. That a person has to log in is no word of a server. */
export function reasonFor(principal: Parameters<typeof readsAllRuns>[0], error: FailureError): string {
  const { code, failure } = error;
  return isWithoutLogin(error) || readsAllRuns(principal) ? failure.message : failureCodes[code].means;
}

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
