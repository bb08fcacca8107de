/** The newest runs, as resources, and as pages of a tool. */
import { control, unknownWorkflow, maySee, type Principal, may } from '@baton/control';
import type { Run } from '@baton/engine';
import type { Effect } from '@baton/language';
import { defined } from '@baton/primitives';
import type { Clock } from '@baton/runner';
import { type Store, getWorkflow } from '@baton/store';
import type { Resource } from '@modelcontextprotocol/server';

import type { GeneralAnswer } from '../tools/generalAnswers.ts';
import { uriOf } from './runUris.ts';

const runsMax = 50;
const causesMax = 20;

/** The newest runs that the key may see. Rejects with `UnavailableError`. */
export async function listedRuns(
  { store }: { readonly store: Store },
  principal: Principal,
): Promise<readonly Resource[]> {
  if (!may(principal, ['runs:read', 'runs:write'])) return [];
  const { data } = await control.listRuns({ store }, principal, { limit: runsMax });
  return data.map(({ id, workflow, status, createdAt }) => ({
    uri: uriOf(id),
    name: `run of ${workflow}`,
    description: `${status}, requested ${new Date(createdAt).toISOString()}`,
    mimeType: 'application/json',
  }));
}

interface WantedRuns {
  readonly workflow?: string | undefined;
  readonly status?: Run['status'] | undefined;
  readonly outcome?: 'unknown' | undefined;
  readonly effect?: Effect | undefined;
  readonly limit: number;
  readonly after?: string | undefined;
}

/** The runs that the key may see. Rejects with `UnavailableError`. */
export async function runsPage(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  principal: Principal,
  { workflow, status, outcome, effect, limit, after }: WantedRuns,
): Promise<GeneralAnswer<'list_runs'>> {
  const wanted = { limit, after, ...defined({ workflow, outcome, effect, status: status && [status] }) };
  const { data, next: last } = await control.listRuns({ store }, principal, wanted);
  const shown = data.map(({ id, workflow: of, status: now, createdAt, failure, retriedAs }) => ({
    id,
    workflow: of,
    status: now,
    createdAt: new Date(createdAt).toISOString(),
    ...(failure === undefined ? {} : { error: `${failure.code}: ${failure.message}`.slice(0, errorMax) }),
    ...defined({ retriedAs }),
  }));
  const found = shown.length > 0 ? 'get_run shows what one of them did.' : await noRuns(store, principal, workflow);
  // A cause is told by what failures say.
  const isBegin = status === 'failed' && after === undefined && principal.hidesValues !== true;
  const causes = isBegin ? { causes: await causesOf({ store, clock }, principal, workflow) } : {};
  if (last === undefined) return { runs: shown, ...causes, next: found };
  return { runs: shown, ...causes, after: last, next: `${found} More: the same call with "after": "${last}".` };
}

/** The most frequent causes, without runs that a retry goes on from; `run`: the newest that failed for it. */
async function causesOf(
  parts: { readonly store: Store; readonly clock: Clock },
  principal: Principal,
  workflow: string | undefined,
): Promise<readonly object[]> {
  const wanted = { retried: 'no', ...defined({ workflow }) } as const;
  const { data } = await control.getFailureCauses(parts, principal, wanted);
  return data.slice(0, causesMax).map(({ workflow: of, undo, step, code, cause, count, run }) => ({
    workflow: undo ? `undo of ${of}` : of,
    ...defined({ step }),
    cause: `${code}: ${cause}`,
    count,
    run,
  }));
}

/** Names the nearest workflow if no such is deployed. */
async function noRuns(store: Store, principal: Principal, workflow: string | undefined): Promise<string> {
  const isDeployed =
    workflow === undefined || (maySee(principal, workflow) && (await getWorkflow(store, workflow)) !== undefined);
  if (isDeployed) return 'There is no such run.';
  return (await unknownWorkflow(store, { workflow }, principal)).message;
}

/** Characters. */
const errorMax = 200;
