/** A run as a client over MCP sees it: the run of the API, with its open questions and the next step. */
import { type Run, type Step, ProblemError } from '@baton/api';
import { control, type Principal, questionsIn, type RunView } from '@baton/control';
import type { RunEvent } from '@baton/engine';
import type { Clock, Journal } from '@baton/runner';

import { type ShownQuestion, nextForRun, shownQuestion } from './nextForRun.ts';

/** What a model reads of a run at once; `step` shows the rest. */
const brief = { steps: 40, valueBytes: 2_048, totalBytes: 24 * 1_024 };

interface RunOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly view: RunView;
}

/** A type, not an interface: answers of the SDK have an index signature. */
export type ShownRun = Omit<Run, 'links' | 'questions'> & {
  readonly questions?: ShownQuestion[];
  readonly next: string;
};

/** The whole run. Rejects with `ProblemError` if the key may see no such run. */
export async function wholeRun(options: RunOptions, principal: Principal, id: string): Promise<ShownRun> {
  const events = await control.listRunEvents(options, principal, { id });
  return shownTo(principal, await options.view.shown(id, events), events);
}

/**
 * What a model reads at once: large values are cut, and of many steps only some are shown. `step`: only this step and
 * those inside it, with large values. Rejects with `ProblemError` if the key may see no such run, or has it no such step.
 */
export async function briefRun(
  options: RunOptions,
  principal: Principal,
  { id, step }: { readonly id: string; readonly step?: string | undefined },
): Promise<ShownRun> {
  const events = await control.listRunEvents(options, principal, { id });
  if (step === undefined) {
    const { steps, ...run } = shownTo(principal, await options.view.lookedUp(id, events, brief), events);
    return { ...run, ...shortened(id, steps, run) };
  }
  const run = shownTo(principal, await options.view.shown(id, events), events);
  const inside = run.steps.filter(({ path }) => path === step || path.startsWith(`${step}/`));
  if (inside.length === 0) {
    const missing = `The run has begun no step ${JSON.stringify(step.slice(0, 80))}.`;
    throw new ProblemError(
      'not-found',
      `${missing} Its steps: ${run.steps
        .map(({ path }) => path)
        .slice(0, 20)
        .join(', ')}.`,
    );
  }
  return { ...run, ...shortened(id, inside, run) };
}

function shownTo(principal: Principal, run: Run, events: readonly RunEvent[]): ShownRun {
  const { links: _links, questions: _count, ...rest } = run;
  const questions = questionsIn(run.id, events)
    .filter(({ isOpen }) => isOpen)
    .map(shownQuestion);
  const shown = questions.length === 0 ? rest : { ...rest, questions };
  return { ...shown, next: nextForRun({ ...shown, awaitedLogin: awaitedLoginIn(events) }, principal) };
}

/** By the newest event of each step. */
function awaitedLoginIn(events: readonly RunEvent[]): Parameters<typeof nextForRun>[0]['awaitedLogin'] {
  const newest = new Map(events.flatMap((event) => ('path' in event ? [[event.path, event] as const] : [])));
  for (const event of newest.values()) {
    const { login, server } = event.type === 'step.waiting' && event.awaiting.for === 'turn' ? event.awaiting : {};
    if (login !== undefined && server !== undefined) return { login, server };
  }
  return undefined;
}

/** Of many steps those that did not succeed, and the last of the others. */
function shortened(
  id: string,
  steps: Step[],
  { stepsOmitted = 0, next }: Pick<ShownRun, 'stepsOmitted' | 'next'>,
): Pick<ShownRun, 'steps' | 'next' | 'stepsOmitted'> {
  if (steps.length <= brief.steps) return { steps, next, ...(stepsOmitted > 0 && { stepsOmitted }) };
  const isNotable = ({ status }: Step): boolean => status !== 'succeeded' && status !== 'skipped';
  const notable = new Set(steps.filter(isNotable).slice(-brief.steps));
  const room = brief.steps - notable.size;
  const others = room === 0 ? [] : steps.filter((one) => !notable.has(one)).slice(-room);
  const kept = steps.filter((one) => notable.has(one) || others.includes(one));
  return {
    steps: kept,
    stepsOmitted: stepsOmitted + steps.length - kept.length,
    next: `${next} Other steps: get_run with { "id": "${id}", "step": PATH }, also of a step that contains others.`,
  };
}
