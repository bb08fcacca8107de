/** What a person says of a call whose answer was lost. */
import { type Json, isObject } from '@baton/primitives';

import type { EventOf, RunEvent } from './event.ts';
import type { Path } from './path.ts';

export interface SaidOutcome {
  readonly happened: boolean;
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Tells answers about lost calls from those to other questions, in the order of the journal. */
export class SaidOutcomes {
  /** Steps whose call is lost. */
  readonly #lost = new Set<Path>();
  /** Steps that ask whether it happened. */
  readonly #asking = new Set<Path>();

  /** Undefined: the event says nothing of a lost call. */
  take(event: RunEvent): SaidOutcome | undefined {
    if (!('path' in event)) return undefined;
    const { path } = event;
    switch (event.type) {
      case 'step.unknown':
        this.#lost.add(path);
        return undefined;
      case 'step.waiting':
        if (event.awaiting.for === 'answer' && this.#lost.delete(path)) this.#asking.add(path);
        return undefined;
      case 'question.answered':
        return this.#asking.delete(path) ? saidBy(event) : undefined;
      case 'step.started':
        this.#lost.delete(path);
        return undefined;
      default:
        return undefined;
    }
  }
}

const saidBy = ({ answer, by, at }: EventOf<'question.answered'>): SaidOutcome => ({
  happened: happenedIn(answer),
  by,
  at,
});

const happenedIn = (answer: Json): boolean => isObject(answer) && answer['happened'] === true;

/** The last word on each call of the run, and on those of its child runs that were told to it: `order>pay`. */
export function saidIn(journal: readonly RunEvent[]): ReadonlyMap<Path, SaidOutcome> {
  const outcomes = new SaidOutcomes();
  const said = new Map<Path, SaidOutcome>();
  for (const event of journal) {
    const one = outcomes.take(event);
    if (one !== undefined && 'path' in event) said.set(event.path, one);
    if (event.type !== 'child.kept') continue;
    for (const { path, happened, by } of event.told ?? [])
      said.set(`${event.step}>${path}`, { happened, by, at: event.at });
  }
  return said;
}
