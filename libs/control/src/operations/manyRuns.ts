/** Cancels or retries many runs, after the client has confirmed their number. */
import { type ManyRuns, type RunFilterQuery, ProblemError, routes } from '@baton/api';
import { FailureError, type RunEvent, type RunStatus } from '@baton/engine';
import { defined } from '@baton/primitives';
import { type RunFilter, countRuns, parentsOf, rerunsOf, runIds } from '@baton/store';

import { earlierRun } from '../intake/earlierRun.ts';
import { goneOnWith, outermostRetry } from '../intake/goneOnWith.ts';
import { type RerunOptions, rerun } from '../intake/rerun.ts';
import type { RerunOrder } from '../intake/rerunOrder.ts';
import { idempotencyOf } from '../intake/starter.ts';
import { maySee, reachOf } from '../keys/keyAccess.ts';
import type { Principal } from '../keys/scopes.ts';
import { runFilterOf } from '../shapes/runFilter.ts';
import { operation } from './operation.ts';
import { allReached, runJournal } from './reach.ts';
import { cancelRun } from './runs.ts';

const actedMax = 10_000;
const countedMax = 100_001;
/** How many runs' journals are read to list the calls that a retry would repeat. */
const lookedMax = 500;
const refusedMax = 100;
const atOnce = 8;

const ending: Readonly<Record<'cancel' | 'retry', readonly RunStatus[]>> = {
  cancel: ['queued', 'running', 'waiting'],
  retry: ['failed', 'cancelled'],
};

interface Order {
  readonly filter: RunFilterQuery;
  readonly expect?: number | undefined;
  readonly preview?: boolean | undefined;
}

interface RetryOrder extends Order, Pick<RerunOrder, 'version'> {
  readonly key: string | undefined;
}

/** Who is left as it was, and why. */
export interface RefusedRun {
  readonly id: string;
  readonly error: ProblemError | FailureError;
}

export const cancelRuns = operation(routes.cancelRuns, {
  reach: allReached,
  effects: 'for-each',
  perform: async (parts: RerunOptions, caller, order: Order & { readonly reason?: string | undefined }) => {
    const { filter, count } = await checkedCount(parts, 'cancel', order, { caller });
    if (order.preview === true) return { count, writes: 0 };
    const result = await actOnEach(parts, filter, async (id) => {
      await cancelRun(parts, caller, { id, reason: order.reason });
    });
    return { count, writes: 0, ...result };
  },
});

export const retryRuns = operation(routes.retryRuns, {
  reach: allReached,
  effects: 'for-each',
  perform: async (parts: RerunOptions, caller, { key, version, ...order }: RetryOrder) => {
    const repeatedKey = idempotencyOf(key, caller.id, {});
    const { filter, count } = await checkedCount(parts, 'retry', order, { caller, repeatedKey });
    if (order.preview === true) return { count, ...(await writesOf(parts, filter, caller, { count, version })) };
    let writes = 0;
    const result = await actOnEach(parts, filter, async (runId, checkChild) => {
      const idempotency = idempotencyOf(key, caller.id, {
        run: runId,
        kind: 'retry',
        many: true,
        ...defined({ version }),
      });
      // The client sends one idempotency key for all runs; each run gets a key derived from it.
      const own = idempotency && { ...idempotency, key: `${idempotency.key}/${runId}` };
      // Added after the await: several retries run at once, and `+=` would keep the sum from before.
      const again = await retry(parts, runId, caller, { version, isPreview: false, idempotency: own }, checkChild);
      writes += again.writes;
    });
    return { count, writes, ...result };
  },
});

/** Throws `ProblemError` if the number is not the one that the client expects. */
async function checkedCount(
  parts: RerunOptions,
  action: keyof typeof ending,
  { filter: asked, expect, preview }: Order,
  { caller, repeatedKey }: { readonly caller: Principal; readonly repeatedKey?: RunFilter['repeatedKey'] },
): Promise<{ readonly filter: RunFilter; readonly count: number }> {
  const { store } = parts;
  const { status = ending[action] } = asked;
  const statuses = status.filter((one) => ending[action].includes(one));
  // What a run that was continued left undone is the matter of the new run.
  const unretried = action === 'retry' ? ({ isContinued: false, repeatedKey } as const) : {};
  const wanted = { ...(await runFilterOf(store, asked, caller, '/filter/like')), statuses };
  const isOfCause = action === 'retry' && asked.like !== undefined;
  const chosen = isOfCause ? await outermostOf(parts, wanted, caller) : wanted;
  const filter = { ...chosen, ...unretried };
  const count = await countRuns(store, filter, countedMax);
  if (preview === true) return { filter, count };
  if (expect === undefined) {
    const message = '`expect` is missing: send the number of runs, which `preview` returns.';
    throw new ProblemError('validation-failed', message, {
      errors: [{ pointer: '/expect', code: 'missing-member', message }],
    });
  }
  if (count === expect) return { filter, count };
  throw new ProblemError(
    'conflict',
    `${count} runs fit the filter now, and ${expect} were expected. Nothing was done.`,
  );
}

/**
 * The runs to retry so that runs of one cause go on: the innermost failure of a tree is what failed, and the outermost run
 * is what goes on from all that was done in it. Rejects with `UnavailableError`.
 */
async function outermostOf({ store, journal }: RerunOptions, filter: RunFilter, caller: Principal): Promise<RunFilter> {
  const { ids } = await runIds(store, filter, { limit: actedMax });
  const parents = await parentsOf(store, ids);
  const aboveOf = outermostRetry(journal, (workflow) => maySee(caller, workflow));
  const outermost = new Set<string>();
  for (const id of ids) outermost.add((await aboveOf(parents.get(id)))?.runId ?? id);
  return { ids: [...outermost], statuses: ending.retry, ...defined({ workflows: reachOf(caller) }) };
}

/** Rejects with `ProblemError` for a child run that another of the runs goes on from. */
type ChildCheck = (journal: readonly RunEvent[]) => Promise<void>;

function childCheck({ journal }: RerunOptions, ids: readonly string[]): ChildCheck {
  const runAbove = goneOnWith(journal, new Set(ids));
  return async ([first]) => {
    const above = first?.type === 'run.requested' ? await runAbove(first.parent) : undefined;
    if (above !== undefined)
      throw new ProblemError('conflict', `The retry of ${above}, which started it, goes on from it.`);
  };
}

/** The `write` calls that a retry would repeat, or repeats, without a look whether they happened. Rejects with `ProblemError`. */
async function retry(
  options: RerunOptions,
  runId: string,
  principal: Principal,
  order: Pick<RerunOrder, 'version' | 'isPreview' | 'idempotency'>,
  checkChild: ChildCheck,
): Promise<Required<Pick<ManyRuns, 'writes' | 'unread'>>> {
  const journal = await runJournal(options, principal, { id: runId });
  await checkChild(journal);
  await checkNotRetried(options, runId, order.idempotency);
  const { repeated } = await rerun(options, { kind: 'retry', journal, runId, principal, ...order });
  const writes = repeated.calls.filter(({ effect, lookup }) => effect === 'write' && lookup === undefined);
  return { writes: writes.length, unread: repeated.unread };
}

/** A run that was retried before stays failed: what it left undone is the matter of the new run. Rejects with `ProblemError`. */
async function checkNotRetried(
  { store }: RerunOptions,
  runId: string,
  idempotency: RerunOrder['idempotency'],
): Promise<void> {
  const [newest] = await rerunsOf(store, runId);
  if (newest !== undefined && (await earlierRun(store, idempotency)) === undefined)
    throw new ProblemError('conflict', `The run ${newest} went on from it already. Retry this one by itself.`);
}

const nothingRepeated = { writes: 0, unread: 0 };

async function writesOf(
  options: RerunOptions,
  filter: RunFilter,
  principal: Principal,
  { count, version }: { readonly count: number } & Pick<RerunOrder, 'version'>,
): Promise<Pick<ManyRuns, 'writes' | 'unread' | 'looked'>> {
  const { ids } = await runIds(options.store, filter, { limit: lookedMax });
  const checkChild = childCheck(options, ids);
  let [writes, unread] = [0, 0];
  for (const id of ids) {
    // A run that cannot be retried repeats no calls.
    const order = { version, isPreview: true, idempotency: undefined };
    const again = await retry(options, id, principal, order, checkChild).catch(onRefusal(() => nothingRepeated));
    [writes, unread] = [writes + again.writes, unread + again.unread];
  }
  return { writes, ...(unread > 0 ? { unread } : {}), ...(ids.length < count ? { looked: ids.length } : {}) };
}

/** Newest first. A refusal by one run does not stop the others. Rejects with `UnavailableError`. */
async function actOnEach(
  options: RerunOptions,
  filter: RunFilter,
  act: (id: string, checkChild: ChildCheck) => Promise<void>,
): Promise<{ readonly done: number; readonly refused: readonly RefusedRun[] }> {
  const { ids } = await runIds(options.store, filter, { limit: actedMax });
  const checkChild = childCheck(options, ids);
  const refused: RefusedRun[] = [];
  let done = 0;
  const left = ids.values();
  const one = async (): Promise<void> => {
    for (const id of left) {
      const error = await act(id, checkChild).then(
        () => undefined,
        onRefusal((refusal) => refusal),
      );
      if (error === undefined) done += 1;
      else if (refused.length < refusedMax) refused.push({ id, error });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { done, refused };
}

/** Returns a refusal as a value; rethrows other errors. */
const onRefusal =
  <Result>(answer: (error: ProblemError | FailureError) => Result) =>
  (error: unknown): Result => {
    if (error instanceof ProblemError || error instanceof FailureError) return answer(error);
    throw error;
  };
