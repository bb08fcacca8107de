import type { Mutation } from '../../mutation.ts';

export const evolveMutations: readonly Mutation[] = [
  {
    safeguard: 'a run keeps the first request to cancel it',
    file: 'libs/engine/src/state/evolve.ts',
    find: 'return run.cancel === undefined ? {',
    replace: 'return event !== undefined ? {',
    shownBy: ['libs/engine/src/moves.test.ts'],
  },
  {
    safeguard: 'a run keeps the first reason to stop it',
    file: 'libs/engine/src/state/evolve.ts',
    find: 'begun(run, event).stopped ?? event.failure',
    replace: 'begun(run, event) && event.failure',
    shownBy: ['libs/engine/src/moves.test.ts'],
  },
  {
    safeguard: 'a journal undoes steps in order',
    file: 'libs/engine/src/state/evolve.ts',
    find: '      invariant(run.undoable?.path === event.path, `${event.path} is not the next step to undo`);\n      return { ...run, undoable: run.undoable.before };',
    replace: '      return { ...run, undoable: run.undoable?.before };',
    shownBy: ['libs/engine/src/moves.test.ts'],
  },
  {
    safeguard: 'claims of a journal are counted without a gap',
    file: 'libs/engine/src/state/evolve.ts',
    find: '  invariant(claim === run.claim + 1, `claim ${claim} follows claim ${run.claim}`);\n',
    replace: '',
    shownBy: ['libs/engine/src/moves.test.ts'],
  },
  {
    safeguard: 'a run is requested once',
    file: 'libs/engine/src/state/evolve.ts',
    find: "      invariant(false, 'a run is requested once');\n",
    replace: '',
    shownBy: ['libs/engine/src/moves.test.ts'],
  },
  {
    safeguard: 'an end of a child comes to a step that waits',
    file: 'libs/engine/src/state/evolveStep.ts',
    find: "  invariant(before?.status === 'waiting', 'only a waiting step can be answered');\n",
    replace: "  if (before?.status !== 'waiting') return { ...before, status: 'cancelled' } as StepState;\n",
    shownBy: ['libs/engine/src/moves.test.ts'],
  },
];
