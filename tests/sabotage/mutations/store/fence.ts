/** The fence: nothing is repeated after the database went back in time. */
import type { Mutation } from '../../mutation.ts';

export const theFence: readonly Mutation[] = [
  {
    safeguard: 'a Postgres that went back in time is noticed',
    file: 'libs/store/src/fence/historyWatch.ts',
    find: 'if (!found.hasSeal || !found.hasEntry || !found.hasEvent) return true;',
    replace: 'if (!found.hasSeal && !found.hasEntry && !found.hasEvent) return true;',
    shownBy: ['libs/store/src/fence/historyWatch.int.test.ts'],
  },
  {
    safeguard: 'the audit says once that Postgres went back in time',
    file: 'libs/store/src/fence/historyWatch.ts',
    find: 'if (found?.isNoted === true) return;',
    replace: '',
    shownBy: ['libs/store/src/fence/historyWatch.int.test.ts'],
  },
  {
    safeguard: 'runs that retention removed are no sign of a Postgres that went back in time',
    file: 'libs/store/src/fence/historyWatch.ts',
    find: "where action = 'runs.removed' and",
    replace: "where action = 'runs.vanished' and",
    shownBy: ['libs/store/src/fence/historyWatch.int.test.ts'],
  },
  {
    safeguard: 'a new connection is compared before anything is read over it',
    file: 'libs/store/src/fence/historyWatch.ts',
    find: 'await raiseFence(ask, fence);\n    this.#stand(fence);\n    throw new UnavailableError(fence.message);',
    replace: 'void [raiseFence, fence, UnavailableError];',
    shownBy: ['libs/store/src/fence/historyWatch.int.test.ts'],
  },
  {
    safeguard: 'a process that starts compares with what is kept outside the database',
    file: 'libs/store/src/fence/historyWatch.ts',
    find: '      this.#seen = seen;\n      await this.look();\n',
    replace: '',
    shownBy: ['libs/store/src/fence/historyWatch.int.test.ts'],
  },
  {
    safeguard: 'schedules wait where Postgres went back in time',
    file: 'libs/control/src/schedules/ticker.ts',
    find: 'if (fence !== undefined) throw new UnavailableError(fence);\n  }\n\n  /** Stores',
    replace: 'void fence;\n  }\n\n  /** Stores',
    shownBy: ['libs/control/src/schedules/rewoundHistory.int.test.ts'],
  },
  {
    safeguard: 'schedules pass over the time that Postgres has lost',
    file: 'libs/control/src/fence/fenceActions.ts',
    find: 'await setNextInstant(store, schedule.id, nextAt);',
    replace: 'void [setNextInstant, nextAt];',
    shownBy: ['libs/control/src/schedules/rewoundHistory.int.test.ts'],
  },
  {
    safeguard: 'a run that went back in time takes its first writes for perhaps made',
    file: 'libs/engine/src/state/mayHaveBeenMade.ts',
    find: 'rewind === undefined ||',
    replace: 'rewind !== undefined ||',
    shownBy: ['libs/engine/src/rewind.test.ts'],
  },
  {
    safeguard: 'a child run that replaces a lost one has other keys',
    file: 'libs/engine/src/decide/judge.ts',
    find: 'report, !isOfAnotherRun)',
    replace: 'report, true || !isOfAnotherRun)',
    shownBy: ['libs/engine/src/rewind.test.ts'],
  },
];
