import type { Mutation } from '../../mutation.ts';

export const unknownMutations: readonly Mutation[] = [
  {
    safeguard: 'a write whose server answered late with a failure is not made again',
    file: 'libs/engine/src/decide/judge.ts',
    find: 'const isWrite = state.call === undefined || (',
    replace: 'const isWrite = state.call !== undefined && (',
    shownBy: ['libs/engine/src/lateAnswers.test.ts'],
  },
  {
    safeguard: 'ifUnknown: check keeps to retry.attempts',
    file: 'libs/engine/src/decide/unknown.ts',
    find: 'if (state.attempt >= Math.max(step.retry.attempts, sentAgain))',
    replace: 'if (state.attempt < 0)',
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
  {
    safeguard: 'a check that fails leaves the outcome of its call unknown',
    file: 'libs/engine/src/decide/unknown.ts',
    find: "if (verdict.kind === 'failed')\n",
    replace: "if (verdict.kind === 'failed') return verdict;\n  if (verdict.kind === 'stopped')\n",
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
  {
    safeguard: 'a check that says neither yes nor no leaves the outcome of its call unknown',
    file: 'libs/engine/src/decide/unknown.ts',
    find: "if (typeof found !== 'boolean')",
    replace: "if (typeof found === 'bigint')",
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
  {
    safeguard: 'a declared check does not look for the mask of a secret',
    file: 'libs/engine/src/state/toolArguments.ts',
    find: 'return !masks.some(',
    replace: 'return masks !== undefined || !masks.some(',
    shownBy: ['libs/engine/src/declared.test.ts'],
  },
  {
    safeguard: 'the gateway does not call a call unknown whose declared check has not ended',
    file: 'apps/orchestrator/src/gateway/gatewayCalls.ts',
    find: 'return isBeingChecked(run, path, state) ? undefined : state;',
    replace: 'return state;',
    shownBy: ['apps/orchestrator/src/gateway/gatewayCalls.test.ts'],
  },
  {
    safeguard: 'a check that cannot be evaluated leaves the outcome of its call unknown',
    file: 'libs/engine/src/decide/unknown.ts',
    find: 'if (error instanceof EvaluationError)',
    replace: 'if (error instanceof RangeError)',
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
  {
    safeguard: 'a write that a check found is undone with the run',
    file: 'libs/engine/src/decide/unknown.ts',
    find: '      ...undoable,\n',
    replace: '',
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
  {
    safeguard: 'a write that did not happen is not made again in a run that is cancelled',
    file: 'libs/engine/src/decide/waiting.ts',
    find: 'if (stop === undefined) beginStep(',
    replace: 'if (stop !== null) beginStep(',
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
  {
    safeguard: 'a step that began is tried again no matter what its `if` says now',
    file: 'libs/engine/src/decide/begin.ts',
    find: 'if (attempt === 1 && !hasTurn && step.if',
    replace: 'if (!hasTurn && step.if',
    shownBy: ['libs/engine/src/unknownOutcome.test.ts'],
  },
];
