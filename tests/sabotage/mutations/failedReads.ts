/** Safeguards against reads of Postgres that fail, by the rooms that they are in. */
import type { Mutation } from '../mutation.ts';

export const failedReadMutations: readonly Mutation[] = [
  {
    safeguard: 'a call that failed before it was sent is unsent',
    file: 'libs/runner/src/call/performCall.ts',
    find: "(wasSent ? 'unknown' : 'unsent')",
    replace: "(wasSent ? 'unknown' : 'unknown')",
    shownBy: ['libs/runner/src/call/performCall.test.ts'],
  },
  {
    safeguard: 'a call that needs what cannot be read now is made later',
    file: 'libs/runner/src/call/performCall.ts',
    find: '      if (error instanceof UnavailableError && !wasSent) throw error;\n',
    replace: '',
    shownBy: ['libs/runner/src/call/performCall.test.ts', 'libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'a call that was given up before it was sent is not sent any more',
    file: 'libs/runner/src/call/performCall.ts',
    find: '!signal.aborted && surroundings',
    replace: 'surroundings',
    shownBy: ['libs/runner/src/call/performCall.test.ts'],
  },
  {
    safeguard: 'a worker that may not act any more asks no model',
    file: 'libs/runner/src/call/performCall.ts',
    find: '      if (context.beginSend?.() === false) throw workerLost();\n',
    replace: '',
    shownBy: ['libs/runner/src/call/performCall.test.ts'],
  },
  {
    safeguard: 'a read that fails ends no drive',
    file: 'libs/runner/src/drive/driver.ts',
    find: '      if (!(error instanceof UnavailableError)) throw error;\n',
    replace: '      if (this.#lostValue === undefined) throw error;\n',
    shownBy: ['libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'what happened is recorded, also where what follows cannot be decided',
    file: 'libs/runner/src/drive/driver.ts',
    find: 'error instanceof LostValueError) this.#recordHappened();',
    replace: 'error instanceof LostValueError) void this.#recordHappened;',
    shownBy: ['libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'a lost value costs its run, and not the process',
    file: 'libs/runner/src/drive/driver.ts',
    find: 'if (error instanceof LostValueError) {',
    replace: 'if (error instanceof LostValueError && this.#lostValue !== undefined) {',
    shownBy: ['libs/runner/src/drive/driver.test.ts'],
  },
  {
    safeguard: 'a run whose first claim was lost is admitted again',
    file: 'libs/runner/src/drive/driver.ts',
    find: "    if (!isOurs || run.status !== 'running') return 'unclaimed';\n",
    replace:
      "    if (!isOurs || run.status !== 'running') {\n      this.#happened = [this.#claimEvent()];\n      return 'happened';\n    }\n",
    shownBy: ['libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'what cannot be read is asked for less and less often',
    file: 'libs/runner/src/record/runWriter.ts',
    find: 'error instanceof UnavailableError) this.#setbacks += 1;',
    replace: 'error instanceof UnavailableError) this.#setbacks = 1;',
    shownBy: ['libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'a value that is not durable yet is not asked of the database',
    file: 'libs/runner/src/values/blobCache.ts',
    find: 'this.unsaved.get(sha256) ?? ',
    replace: '',
    shownBy: ['libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'values are held in memory until they are durable, and no longer',
    file: 'libs/runner/src/record/runWriter.ts',
    find: '      this.#release(saved?.blobs ?? []);\n',
    replace: '',
    shownBy: ['libs/runner/src/drive/failedReads.test.ts'],
  },
  {
    safeguard: 'a parent learns of the end of a child whose turn could not be passed on',
    file: 'libs/runner/src/drive/runDrivers.ts',
    find: '    } finally {\n      await this.#notifyParent(run);\n    }\n',
    replace: '    } finally {\n      void plan;\n    }\n    await this.#notifyParent(run);\n',
    shownBy: ['libs/runner/src/drive/childEnds.test.ts'],
  },
  {
    safeguard: 'a child run that the database refuses fails its step',
    file: 'libs/runner/src/call/child.ts',
    find: '    if (!(error instanceof FailureError)) throw error;\n',
    replace: '    if (!(error instanceof FailureError) || command.attempt > 0) throw error;\n',
    shownBy: ['libs/runner/src/call/runCalls.test.ts'],
  },
];
