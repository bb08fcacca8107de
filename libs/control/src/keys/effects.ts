/**
 * Checks what a key with an effect limit may start. The stronger of two effects counts: the step's own, and that of the
 * configuration and annotations of the server, because the key's holder may be the author of the workflow.
 */
import { ProblemError } from '@baton/api';
import type { Parent } from '@baton/engine';
import {
  type Effect,
  type Plan,
  type Step,
  blocksInRole,
  effectOfStep,
  effectStrength,
  stepsIn,
  stepsOf,
  strongerEffect,
} from '@baton/language';
import type { Plans } from '@baton/runner';
import { type Definition, type Store, getRun, planOf } from '@baton/store';

import { isComposed } from './composed.ts';
import { onWorkflow } from './narrowing.ts';
import type { Principal } from './scopes.ts';

const verbs: Readonly<Record<Effect, string>> = {
  read: 'only read',
  idempotent: 'only read, or can be repeated safely',
  write: 'write',
};

type LimitedKey = Pick<Principal, 'effects'>;

/** Throws `ProblemError` if the workflow's effect exceeds the key's. */
export function checkEffects(caller: Principal, plan: Plan): void {
  const { effects } = onWorkflow(caller, plan.workflow);
  if (effects === undefined) return;
  const beyond = beyondLimit(effects, plan);
  if (beyond !== undefined) throw refused(effects, plan, beyond);
}

/** What in the workflow exceeds the limit; undefined if nothing does. */
function beyondLimit(allowed: Effect, plan: Plan): string | undefined {
  const steps = stepsOf(plan);
  const stronger = strongerStep(allowed, steps);
  if (stronger !== undefined) return stronger;
  const idempotent = steps.find((step) => effectOfStep(step) === 'idempotent');
  if (allowed !== 'idempotent' || idempotent === undefined || isComposed(plan)) return undefined;
  return `a second run may call ${named(idempotent)} with other arguments`;
}

/** Throws `ProblemError` if a key whose writes a person approves would write through a workflow of its own text. */
export function checkApproval({ approve }: Pick<Principal, 'approve'>, plan: Plan): void {
  const writing = approve && stepsOf(plan).find((step) => effectOfStep(step) === 'write');
  if (writing === undefined) return;
  throw new ProblemError(
    'forbidden',
    `A person approves what this key writes, and ${named(writing)} may write. Call the tool at /mcp/gateway, or start a deployed workflow.`,
  );
}

/**
 * As `checkEffects`, for the plan of a definition, which it does not read for a key without a limit. Rejects with
 * `UnavailableError` too.
 */
export async function checkEffectsOf(key: Principal, plans: Plans, definition: string): Promise<void> {
  if (key.effects !== undefined) checkEffects(key, await plans(definition));
}

/** As `checkEffectsOf`, for a definition that is deployed. */
export async function checkDefinitionEffects(key: Principal, definition: Definition): Promise<void> {
  if (key.effects !== undefined) checkEffects(key, await planOf(definition));
}

/**
 * As `checkEffectsOf`, for what a run does when it is cancelled: `undo`, `onFailure` and every `finally`. Its child runs
 * are cancelled with it, so they count, as writes.
 */
export async function checkEndingEffectsOf(caller: Principal, plans: Plans, definition: string): Promise<void> {
  if (caller.effects === undefined) return;
  const plan = await plans(definition);
  const { effects } = onWorkflow(caller, plan.workflow);
  if (effects === undefined) return;
  const steps = stepsOf(plan);
  const endings = [
    plan.onFailure,
    plan.finally,
    ...steps.flatMap((step) => [...blocksInRole(step, 'undo'), ...blocksInRole(step, 'finally')]),
  ];
  const children = steps.filter(({ verb }) => verb === 'workflow');
  const beyond = strongerStep(effects, [
    ...endings.flatMap((block) => (block === undefined ? [] : stepsIn(block))),
    ...children,
  ]);
  if (beyond !== undefined) throw refused(effects, plan, beyond);
}

/**
 * Checks the runs that wait for a run and go on when it ends, for the caller as it may act on that run. They may be of
 * workflows that the key does not see, so the refusal does not name them. Rejects with `ProblemError` and `UnavailableError`.
 */
export async function checkParentEffects(
  { effects }: LimitedKey,
  { store, plans }: { readonly store: Store; readonly plans: Plans },
  parent: Parent | undefined,
): Promise<void> {
  if (effects === undefined) return;
  for (let waiting = parent; waiting !== undefined;) {
    const run = await getRun(store, waiting.runId);
    if (run === undefined) return;
    if (beyondLimit(effects, await plans(run.definition)) !== undefined)
      throw new ProblemError(
        'forbidden',
        `This key may only start workflows that ${verbs[effects]}; the run that waits for this one does more.`,
      );
    waiting = run.parent;
  }
}

/** Checks a call of a gateway session. Throws `ProblemError`. */
export function checkCallEffect({ effects }: LimitedKey, effect: Effect): void {
  if (effects === undefined || effectStrength[effect] <= effectStrength[effects]) return;
  throw new ProblemError('forbidden', `This key may only make calls that ${verbs[effects]}; this one does more.`);
}

function strongerStep(allowed: Effect, steps: readonly Step[]): string | undefined {
  const beyond = steps.find((step) => effectStrength[effectOfStep(step)] > effectStrength[allowed]);
  if (beyond === undefined) return undefined;
  return `${named(beyond)} ${effectOfStep(beyond) === 'write' ? 'may write' : 'may change something'}`;
}

const refused = (allowed: Effect, { workflow }: Plan, more: string): ProblemError =>
  new ProblemError(
    'forbidden',
    `This key may only start workflows that ${verbs[allowed]}; ${workflow} does more: ${more}.`,
  );

const named = (step: Step): string =>
  step.verb === 'tool' ? `${step.server}/${step.tool}` : `the step ${JSON.stringify(step.key.slice(0, 80))}`;

/**
 * The strongest effect of any call in the workflow. Idempotent calls that a second run may make with other arguments count
 * as writes.
 */
export function strongestEffectOf(plan: Plan): Effect {
  const strongest = stepsOf(plan).map(effectOfStep).reduce(strongerEffect, 'read');
  return strongest === 'idempotent' && !isComposed(plan) ? 'write' : strongest;
}
