/** What runs of `countingWorkflow` say to have written to the state that they share, in the order of their commits. */
import type { RunEvent } from '@baton/engine';
import type { MemoryJournal } from '@baton/testing';

import { countingWorkflow } from './workflows.ts';

export class StateLedger {
  writes = 0;
  refusals = 0;
  #counted = 0;
  #last = '';
  #signed = 0;

  note(runId: string, event: RunEvent): void {
    if (event.type === 'step.failed' && event.failure.code === 'state-changed') this.refusals += 1;
    if (event.type !== 'step.succeeded' || event.verb !== 'state' || !('json' in event.value)) return;
    this.writes += 1;
    const { count, last } = event.value.json as { readonly count?: number; readonly last?: string };
    if (count !== undefined) this.#counted += 1;
    if (last === undefined) return;
    this.#last = runId;
    this.#signed += 1;
  }

  /**
   * What is stored and was not written so. Each count was made with the one before it in view, so none is lost; the last
   * signature stands; and each was written once, with its event.
   */
  differences(state: MemoryJournal['state']): readonly string[] {
    const { workflow } = countingWorkflow;
    const [stored] = [false, true]
      .map((isInline) => state.valuesOf({ workflow, isInline }))
      .toSorted((one, other) => other.size - one.size);
    const [count, last] = [stored?.get('count'), stored?.get('last')];
    return [
      ...differs('the count', count?.value ?? 0, this.#counted),
      ...differs('the last run', last?.value ?? '', this.#last),
      ...differs('the writes of the last run', last?.revision ?? 0, this.#signed),
    ];
  }
}

const differs = (what: string, stored: unknown, written: unknown): readonly string[] =>
  stored === written ? [] : [`${what} is ${JSON.stringify(stored)}, and should be ${JSON.stringify(written)}`];
