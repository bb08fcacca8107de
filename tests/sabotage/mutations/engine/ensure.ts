import type { Mutation } from '../../mutation.ts';

const shownBy = ['libs/engine/src/behaviour/ensure.test.ts'];
const shownByUnensured = ['libs/engine/src/behaviour/unensured.test.ts'];

export const ensureMutations: readonly Mutation[] = [
  {
    safeguard: 'a run whose `ensure` is not true in time fails',
    file: 'libs/engine/src/decide/ensure.ts',
    find: "if (d.nowMs >= deadline) return { kind: 'failed', failure };",
    replace: 'if (d.nowMs >= deadline) return done;',
    shownBy,
  },
  {
    safeguard: 'a condition that is neither true nor false is not verified',
    file: 'libs/engine/src/decide/ensure.ts',
    find: '    if (judged !== false) return unjudged(begun, judged);\n',
    replace: '',
    shownBy,
  },
  {
    safeguard: 'a limit that ends the reading of an `ensure` undoes nothing',
    file: 'libs/engine/src/decide/ensure.ts',
    find: '  if (exceeded === undefined) return stopped;\n',
    replace: '  if (exceeded !== undefined) return stopped;\n',
    shownBy: shownByUnensured,
  },
  {
    safeguard: 'a limit of the run does not replace what could not be read',
    file: 'libs/engine/src/decide/decide.ts',
    find: 'failed?.code === notVerified ? failed : ',
    replace: '',
    shownBy: shownByUnensured,
  },
  {
    safeguard: 'a failure that is ignored or collected is none where a limit ended the reading',
    file: 'libs/engine/src/failure.ts',
    find: "details['limit'] !== undefined",
    replace: 'false',
    shownBy: shownByUnensured,
  },
  {
    safeguard: 'a handler of what could not be verified that fails undoes nothing',
    file: 'libs/engine/src/decide/block.ts',
    find: 'failure.code === notVerified ? stillUnverified(failure, verdict, place) : verdict',
    replace: 'verdict',
    shownBy: shownByUnensured,
  },
  {
    safeguard: 'a run that goes on without what it should ensure says so',
    file: 'libs/engine/src/say/runSentence.ts',
    find: "const failing = ensured.filter(({ status }) => status === 'failed');",
    replace: "const failing = ensured.filter(({ status }) => status === 'unknown');",
    shownBy: shownByUnensured,
  },
  {
    safeguard: 'an `ensure` that cannot be read undoes nothing',
    file: 'libs/engine/src/decide/decide.ts',
    find: ' || ending.failure.code !== notVerified)',
    replace: ' || true)',
    shownBy,
  },
  {
    safeguard: 'a child run that could not verify its promise undoes nothing in its parent',
    file: 'libs/engine/src/decide/waiting.ts',
    find: "failure?.code === notVerified ? notVerified : 'child-failed'",
    replace: "'child-failed'",
    shownBy,
  },
  {
    safeguard: 'an `ensure` calls no tool of which nothing says that it only reads',
    file: 'libs/engine/src/decide/ensure.ts',
    find: "    if (mayWrite(step)) return { kind: 'failed', failure: unproven(begun) };\n",
    replace: '',
    shownBy,
  },
  {
    safeguard: 'the next step begins only when the `ensure` of the step before is over',
    file: 'libs/engine/src/decide/block.ts',
    find: '      return ensured(d, begun);',
    replace: '      return done;',
    shownBy,
  },
  {
    safeguard: 'a step wins a race only when it is ensured',
    file: 'libs/engine/src/decide/parallel.ts',
    find: "state?.status === 'succeeded' && isEnsured(step, state) &&",
    replace: "state?.status === 'succeeded' &&",
    shownBy,
  },
  {
    safeguard: 'a retry ensures again what the run promises',
    file: 'libs/engine/src/rerun/carriedOutcomes.ts',
    find: "    if (step.verb === 'ensure' && isOfRun(path)) return false;\n",
    replace: '',
    shownBy,
  },
  {
    safeguard: 'a retry in a new version ensures again what the run promises',
    file: 'libs/engine/src/rerun/carryToVersion.ts',
    find: ' || !this.#mayStillHold(path)',
    replace: '',
    shownBy,
  },
  {
    safeguard: 'no step of the author takes the place of an `ensure`',
    file: 'libs/language/src/compile/ensure.ts',
    find: 'ensure.${i + 1}`',
    replace: 'ensure-${i + 1}`',
    shownBy,
  },
  {
    safeguard: 'an `ensure` starts no workflow that may do more than read',
    file: 'apps/worker/src/children.ts',
    find: 'wanted.mustRead === true && !onlyReads(plan)',
    replace: 'wanted.mustRead === undefined && !onlyReads(plan) && false',
    shownBy: ['apps/worker/src/children.int.test.ts'],
  },
];
