/** What runs failed for, for a model. */
import { control, type Principal } from '@baton/control';
import { defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import type { Store } from '@baton/store';

import type { GeneralAnswer } from '../tools/generalAnswers.ts';
import { noRuns } from './listedRuns.ts';

interface WantedCauses {
  readonly workflow?: string | undefined;
  readonly retried: 'yes' | 'no';
  readonly limit: number;
}

/** Rejects with `UnavailableError`. */
export async function listedCauses(
  parts: { readonly store: Store; readonly clock: Clock },
  principal: Principal,
  { workflow, retried, limit }: WantedCauses,
): Promise<GeneralAnswer<'list_causes'>> {
  const { data } = await control.getFailureCauses(parts, principal, { retried, ...defined({ workflow }) });
  const causes = data.slice(0, limit).map(({ workflow: of, step, code, cause, count, last, run }) => ({
    workflow: of,
    ...defined({ step }),
    code,
    cause,
    count,
    last,
    run,
  }));
  if (causes.length === 0) return { causes, next: await noRuns(parts.store, principal, workflow) };
  return { causes, next: 'explain_run says why one of them failed.' };
}
