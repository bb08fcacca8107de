import type { Mutation } from '../../mutation.ts';

export const signalMutations: readonly Mutation[] = [
  {
    safeguard: 'a signal that match cannot read ends no wait',
    file: 'libs/engine/src/decide/signalSearch.ts',
    find: 'if (error instanceof EvaluationError) return error;',
    replace: '',
    shownBy: ['libs/engine/src/behaviour/core.test.ts'],
  },
  {
    safeguard: 'one decision tries a heavy match on a few signals',
    file: 'libs/engine/src/decide/signalSearch.ts',
    find: 'return this.#cost.units >= fullCost;',
    replace: 'return this.#cost.units >= fullCost * 1_000_000;',
    shownBy: ['libs/engine/src/decide/signalSearch.test.ts'],
  },
  {
    safeguard: 'a wait does not expire before its signals are tried',
    file: 'libs/engine/src/decide/waiting.ts',
    find: 'const isOver = !signalSearch.isFull && ',
    replace: 'const isOver = ',
    shownBy: ['libs/engine/src/decide/signalSearch.test.ts'],
  },
];
