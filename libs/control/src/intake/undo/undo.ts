/** Undoes a finished run: a run of its own makes the calls that were declared to take back what it wrote. */
import { ProblemError } from '@baton/api';
import { type Run, type RunEvent, invariant, isEnded, planFor, replay } from '@baton/engine';
import type { Plan } from '@baton/language';
import { requested } from '@baton/runner';
import { childIds, getDefinition, getRun, newestRetries, planOf, putDefinition } from '@baton/store';

import type { CatalogueCache } from '../../deploy/catalogueCache.ts';
import { checkApproval, checkEffects } from '../../keys/effects.ts';
import { onWorkflow } from '../../keys/narrowing.ts';
import { personBehind } from '../../keys/personBehind.ts';
import type { Principal } from '../../keys/scopes.ts';
import { withBlobs } from '../../shapes/withBlobs.ts';
import type { RerunOptions } from '../rerun.ts';
import { declaredThen } from './declared.ts';
import { type UndoCalls, undoCalls } from './undoCalls.ts';
import { type UndoDefinition, undoDefinition } from './undoDefinition.ts';
import { earlierUndos } from './undoneBefore.ts';

export interface UndoOptions extends RerunOptions {
  readonly catalogueCache: CatalogueCache;
}

export interface UndoOrder {
  readonly runId: string;
  readonly journal: readonly RunEvent[];
  readonly principal: Principal;
  /** Report what would happen, and start nothing. */
  readonly isPreview: boolean;
}

export interface Undo extends UndoCalls {
  /** The newest run that undoes it; undefined for a preview of a run that was never undone. */
  readonly runId: string | undefined;
  readonly isNew: boolean;
  /** Child runs, which are undone by themselves, with the path of the step that started each. */
  readonly children: ReadonlyMap<string, string>;
  /** The newest retry, which keeps what this run wrote. */
  readonly retriedAs: string | undefined;
  /** The run that it continues, where it kept outcomes of writes of that run. */
  readonly keptFrom: string | undefined;
}

/** Rejects with `ProblemError` and `UnavailableError`. */
export async function undo(options: UndoOptions, order: UndoOrder): Promise<Undo> {
  const { store, plans } = options;
  const { runId, journal, isPreview } = order;
  const run = replay(runId, journal);
  const principal = onWorkflow(order.principal, run.workflow);
  check(run);
  const plan = await plans(run.definition);
  checkEffects(principal, plan);
  const definition = await getDefinition(store, run.definition);
  invariant(definition !== undefined, `no definition has the digest ${run.definition}`);
  const { declared, pin } = await declaredThen(options.catalogueCache, definition.pins, principal);
  const { newest, undone } = await earlierUndos(store, runId);
  const found = await withBlobs(store.blobs, (blobs) =>
    undoCalls({ plan: planFor(plan, run), journal, blobs, declared, undone }),
  );
  const children = await childIds(store, runId);
  const retriedAs = (await newestRetries(store, [runId])).get(runId);
  const retry = retriedAs === undefined ? undefined : await getRun(store, retriedAs);
  if (retry !== undefined && retry.endedAt === undefined)
    throw new ProblemError('not-finished', `The run ${retry.id} goes on from it. Wait for it, or cancel it.`);
  const keptFrom = run.writes.kept === undefined ? undefined : run.rerunOf;
  const about = { ...found, children, retriedAs, keptFrom };
  const made = found.calls.length === 0 ? undefined : await madeOf(run, found, pin, principal);
  const isDone = newest !== undefined && (newest.isOpen || newest.succeeded || made === undefined);
  if (isDone || isPreview) return { ...about, runId: newest?.id, isNew: false };
  if (made === undefined) throw nothingToUndo(found);
  return { ...about, ...(await request(options, run, made, { principal, undoneAs: newest?.id ?? null })) };
}

/** Throws `ProblemError`. */
function check(run: Run): void {
  if (run.session !== undefined)
    throw new ProblemError(
      'conflict',
      'A session cannot be undone: what is declared for its tools was not kept with it.',
    );
  if (!isEnded(run)) throw new ProblemError('not-finished', `The run is ${run.status}. Wait for it, or cancel it.`);
}

interface MadeUndo extends UndoDefinition {
  readonly plan: Plan;
}

/** Rejects with `ProblemError` where the key may not cause it. */
async function madeOf(
  { workflow }: Run,
  { calls }: UndoCalls,
  pin: Parameters<typeof undoDefinition>[2],
  principal: Principal,
): Promise<MadeUndo> {
  const made = undoDefinition(workflow, calls, pin);
  if (made === undefined)
    throw new ProblemError('conflict', `The run made ${calls.length} writes: more than one undo can take back.`);
  const plan = await planOf(made.definition);
  checkEffects(principal, plan);
  checkApproval(principal, plan);
  return { ...made, plan };
}

function nothingToUndo({ left }: UndoCalls): ProblemError {
  const [first] = left;
  const more = left.length > 1 ? ` The same holds for ${left.length - 1} more.` : '';
  return new ProblemError(
    'conflict',
    first === undefined
      ? 'There is nothing to undo: the run wrote nothing itself, or has undone it.'
      : `Nothing of it can be undone. ${first.write.path}: ${first.why}${more}`,
  );
}

async function request(
  { store, clock, quota, backlog, startOffers, bell, onBellFailed }: UndoOptions,
  run: Run,
  { definition, inputs }: MadeUndo,
  { principal, undoneAs }: Pick<UndoOrder, 'principal'> & { readonly undoneAs: string | null },
): Promise<Pick<Undo, 'runId' | 'isNew'>> {
  const { workflow, priority, tags } = run;
  const { by } = principal;
  backlog.check();
  await putDefinition(store, definition);
  const limits = quota.limitsOf(principal.limits);
  // A workflow that came with its run chose its name, and its undo reaches no more than the run did.
  const own = run.version === undefined ? { isInline: true } : {};
  const trigger = { kind: 'undo', detail: { run: run.id, ...own } } as const;
  const order = {
    workflow,
    definition: definition.digest,
    inputs,
    trigger,
    by,
    person: personBehind(principal),
    tags,
    priority,
    limits,
    rerunOf: run.id,
  };
  return quota.within(by, principal.limits?.runs, async () => {
    const { kind, runId } = await store.request({ ...requested(order, clock.now()), undoneAs });
    const isNew = kind === 'created';
    if (isNew) {
      backlog.add();
      startOffers.offer(runId, by);
      bell.ring([{ runId, priority }]).catch(onBellFailed);
    }
    return { runId, isNew };
  });
}
