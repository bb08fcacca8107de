import type { Mutation } from '../mutation.ts';

export const intakeMutations: readonly Mutation[] = [
  {
    safeguard: 'a session cannot be run again',
    file: 'libs/control/src/intake/rerun.ts',
    find: 'if (run.session !== undefined) {',
    replace: 'if (run.session !== undefined && from === null) {',
    shownBy: ['apps/orchestrator/src/intake/rerun.int.test.ts'],
  },
  {
    safeguard: 'a rerun waits in the same line as a start: more than may wait are refused',
    file: 'libs/control/src/intake/rerun.ts',
    find: '  options.backlog.check();\n',
    replace: '',
    shownBy: ['apps/orchestrator/src/intake/rerun.int.test.ts'],
  },
  {
    safeguard: 'a rerun counts against the key’s limit of runs',
    file: 'libs/control/src/intake/rerun.ts',
    find: 'principal.limits?.runs, () =>',
    replace: 'Infinity, () =>',
    shownBy: ['apps/orchestrator/src/intake/rerun.int.test.ts'],
  },
  {
    safeguard: 'no trigger starts a workflow that is paused',
    file: 'libs/control/src/intake/starter.ts',
    find: 'if (pausedBy !== undefined && isTriggered(options)) throw',
    replace: "if (pausedBy === '' && isTriggered(options)) throw",
    shownBy: ['apps/orchestrator/src/routes/service/pageAnswers.int.test.ts'],
  },
  {
    safeguard: 'workers that are no longer crowded are forgotten',
    file: 'libs/runner/src/sharing/startOffers.ts',
    find: 'if (until <= now) this.#crowded.delete(workerId);',
    replace: 'if (until < 0) this.#crowded.delete(workerId);',
    shownBy: ['libs/runner/src/sharing/startOffers.test.ts'],
  },
  {
    safeguard: 'the end in memory: a journal in which another process wrote too is read',
    file: 'libs/control/src/live/endHere.ts',
    find: 'if (run.seq - events.length !== this.#events.length) return this.close();',
    replace: 'if (run.seq < events.length) return this.close();',
    shownBy: ['libs/control/src/live/endHere.test.ts'],
  },
  {
    safeguard: 'the end in memory: neither a hint nor a read is waited for',
    file: 'libs/control/src/live/followRun.ts',
    find: 'here?.end.onEnd(onGrown);',
    replace: '',
    shownBy: ['libs/control/src/live/endHere.test.ts'],
  },
];
