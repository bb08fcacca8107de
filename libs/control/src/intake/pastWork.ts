/** What a rerun keeps of the work of the old run, and of the runs that this started; and which calls it makes again. */
import { ProblemError } from '@baton/api';
import {
  type CarriedOutcomes,
  type CarryOptions,
  type Run,
  carryOutcomes,
  carryToVersion,
  nothingCarried,
  resolve,
  withStateSeen,
} from '@baton/engine';
import { didYouMean } from '@baton/expressions';
import { type Json, type JsonObject, canonicalJson, defined } from '@baton/primitives';
import {
  type CallsInTree,
  type PastRun,
  type PastRuns,
  type Plans,
  BlobCache,
  callsInTree,
  intentsBefore,
  withChildren,
  withLoadedValues,
} from '@baton/runner';
import { type Store, childIds, rerunsOf } from '@baton/store';

import { maySee } from '../keys/keyAccess.ts';
import type { EarlierRun } from './earlierRun.ts';
import type { RerunOrder, RerunTarget } from './rerunOrder.ts';

export interface PastWork {
  readonly kept: CarriedOutcomes;
  readonly repeated: CallsInTree;
}

/**
 * `order.inputs`: those of the new run, where others were given; `given`: those of the new run, where they differ from
 * what the journal holds; `before`: the run of the same request, which came before: it and later runs do not count.
 * Rejects with `ProblemError` and `UnavailableError`.
 */
export async function pastWork(
  { store, plans }: { readonly store: Store; readonly plans: Plans },
  run: Run,
  target: RerunTarget,
  order: RerunOrder & { readonly given: JsonObject | undefined; readonly before?: EarlierRun | undefined },
  at: number,
): Promise<PastWork> {
  const pastRuns: PastRuns = {
    journal: store.journal,
    blobs: store.blobs,
    cache: new BlobCache(0),
    childIds: (runId) => childIds(store, runId),
  };
  const past = await withChildren(pastRuns, run.id, order.journal);
  const again = await asksAgain(store, run, order);
  if (again.asksAgain && run.part !== undefined) throw askedElsewhere(run);
  // Of a run that failed, what its workflow let pass stays as it was.
  const repeatsFailedItems = order.kind === 'retry' && run.status === 'succeeded';
  const told = order.told?.map(({ output, ...one }) => ({ ...one, ...defined({ output }), by: order.principal.by }));
  const carry = { at, from: order.from, ...again, repeatsFailedItems, children: past.children, told };
  const kept = withStateSeen(await carriedOutcomes(pastRuns, past, target, order, carry), past.events, run.id, at);
  const { before } = order;
  const isEarlier = (runId: string): boolean => before === undefined || runId < before.runId;
  const sources = {
    ...pastRuns,
    rerunsOf: async (runId: string) => (await rerunsOf(store, runId)).filter(isEarlier),
    childTarget: async (workflow: string, version: number | undefined) => {
      const found = await store.findVersion({ workflow, ...(version === undefined ? {} : { version }) });
      return found && { definition: found.definition, plan: await plans(found.definition) };
    },
    maySee: (workflow: string) => maySee(order.principal, workflow),
  };
  const { definition, whole, plan } = target;
  const repeated = await callsInTree(sources, past, { definition, plan: whole, own: plan, carried: kept });
  checkTold(order, repeated);
  const [unfinished] = repeated.unfinished;
  if (unfinished === undefined) return { kept, repeated };
  throw new ProblemError('not-finished', `Its child run ${unfinished} has not ended. Wait for it, or cancel it.`);
}

async function carriedOutcomes(
  pastRuns: PastRuns,
  { id, events }: PastRun,
  { plan }: RerunTarget,
  { kind, from, version, given = {} }: Parameters<typeof pastWork>[3],
  carry: CarryOptions,
): Promise<CarriedOutcomes> {
  if (version === undefined)
    return kind === 'retry' || from !== undefined ? carryOutcomes(plan, events, carry) : nothingCarried;
  const change = { ...carry, runId: id, inputs: { json: given }, intents: await intentsBefore(pastRuns, events) };
  const kept = await withLoadedValues(pastRuns, id, (blobs) => carryToVersion(plan, events, { ...change, blobs }));
  checkPlaced(from, kept);
  return kept;
}

/** Throws `ProblemError` where the new run comes to no call of which something was said. */
function checkTold({ told = [] }: RerunOrder, { told: heeded, calls }: CallsInTree): void {
  const lost = calls.flatMap(({ path, mayBeTold }) => (mayBeTold === true ? [path] : []));
  const errors = told.flatMap(({ path }, at) => {
    if (heeded.has(path)) return [];
    const message = `The retry comes to no call of unknown outcome at ${JSON.stringify(path.slice(0, 80))}.`;
    const hint =
      didYouMean(path, lost) ?? (lost.length > 0 ? `there is one at ${lost.slice(0, 5).join(', ')}` : undefined);
    return [{ pointer: `/told/${at}/path`, code: 'unknown-step', message, ...defined({ hint }) }];
  });
  if (errors[0] !== undefined) throw new ProblemError('validation-failed', errors[0].message, { errors });
}

/** Throws `ProblemError` if the new version does not have the first step to execute. */
function checkPlaced(from: string | undefined, { unmatched }: CarriedOutcomes): void {
  if (from === undefined || !unmatched.some((path) => from === path || from.startsWith(`${path}/`))) return;
  const message = `That version has no step ${JSON.stringify(from.slice(0, 80))}.`;
  throw new ProblemError('validation-failed', message, {
    errors: [{ pointer: `/from`, code: 'unknown-step', message }],
  });
}

/**
 * Whether questions are asked again. A person agreed to something with the inputs of the old run; and a key whose writes
 * a person approves could otherwise repeat an approved write as often as it likes.
 */
async function asksAgain(
  { blobs }: Store,
  run: Run,
  { kind, inputs, given, principal }: Parameters<typeof pastWork>[3],
): Promise<Required<Pick<CarryOptions, 'asksAgain' | 'hasNewInputs'>>> {
  const hasNewInputs =
    inputs !== undefined && given !== undefined && canonicalJson(given) !== canonicalJson(await inputsOf(blobs, run));
  return { hasNewInputs, asksAgain: hasNewInputs || (kind === 'rerun' && principal.approve !== undefined) };
}

/** The inputs of the old run. */
export async function inputsOf(blobs: Store['blobs'], { inputs }: Run): Promise<Json> {
  const text = 'blob' in inputs ? await blobs.get(inputs.blob.sha256) : undefined;
  return text === undefined ? resolve(inputs, () => null) : (JSON.parse(text) as Json);
}

/** The questions before an item are in the journal of another run. */
const askedElsewhere = ({ parent }: Run): ProblemError =>
  new ProblemError(
    'conflict',
    `The run is an item of a \`forEach\`: its inputs, and the answers to questions before it, are those of another run. Rerun that one${parent === undefined ? '' : `, ${parent.runId}`}.`,
  );
