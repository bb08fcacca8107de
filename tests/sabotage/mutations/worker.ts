import type { Mutation } from '../mutation.ts';

export const workerMutations: readonly Mutation[] = [
  {
    safeguard: 'pin drift: the worker refuses the run',
    file: 'apps/worker/src/admission.ts',
    find: 'if (blocking.length === 0) return undefined;',
    replace: 'if (blocking.length >= 0) return undefined;',
    shownBy: ['tests/faults/changedTool.test.ts'],
  },
  {
    safeguard: 'the fence of a worker closes when its heartbeat is late',
    file: 'apps/worker/src/heartbeat.ts',
    find: 'return this.#isLate() ? undefined : this.#openedAt;',
    replace: 'return this.#openedAt;',
    shownBy: ['apps/worker/src/heartbeat.int.test.ts'],
  },
  {
    safeguard: 'a heartbeat is late after four seconds',
    file: 'apps/worker/src/heartbeat.ts',
    find: 'this.#clock.monotonic() - this.#renewedAt >= liveness.fenceMs',
    replace: 'this.#clock.monotonic() - this.#renewedAt >= liveness.fenceMs * 1e6',
    shownBy: ['apps/worker/src/heartbeat.int.test.ts'],
  },
  {
    safeguard: 'secrets: one that is bound is refused when it is used',
    file: 'apps/worker/src/secrets.ts',
    find: ': whyNotUsed(name, binding, use);',
    replace: ': whyNotUsed(name, {}, { ...use, ...(binding && {}) });',
    shownBy: ['apps/orchestrator/src/canary.int.test.ts'],
  },
  {
    safeguard: "secrets: a webhook's is refused when it is used",
    file: 'apps/worker/src/secrets.ts',
    find: 'hooks.has(name)',
    replace: 'hooks.has(`${name} `)',
    shownBy: ['apps/orchestrator/src/canary.int.test.ts'],
  },
  {
    safeguard: 'quota: child runs and distributed items are runs of the key',
    file: 'apps/worker/src/childQuota.ts',
    find: 'if (most === undefined) return request();',
    replace: 'if (most !== null) return request();',
    shownBy: ['apps/worker/src/children.int.test.ts'],
  },
  {
    safeguard: 'a worker that stops lets its calls end',
    file: 'apps/worker/src/worker.ts',
    find: "drives.leave('soon');\n    await endsWithin(",
    replace: "drives.leave('now');\n    await endsWithin(",
    shownBy: ['tests/faults/drainedWorker.test.ts'],
  },
  {
    safeguard: 'polls and bells count the same slots',
    file: 'apps/worker/src/poll.ts',
    find: 'if (!this.#takeShared(runId)) void take(runId);',
    replace: 'void take(runId);',
    shownBy: ['apps/worker/src/poll.int.test.ts'],
  },
  {
    safeguard: 'a worker that takes no more runs is not crowded',
    file: 'apps/worker/src/crowding.ts',
    find: 'if (this.#isClosed || now',
    replace: 'if (now',
    shownBy: ['apps/worker/src/crowding.test.ts'],
  },
];
