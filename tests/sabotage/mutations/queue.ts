import type { Mutation } from '../mutation.ts';

export const queueMutations: readonly Mutation[] = [
  {
    safeguard: 'redis: a connection that only listens is asked whether it is still one',
    file: 'libs/queue/src/redisConnection.ts',
    find: "if (purpose !== 'ring') ping(redis);",
    replace: 'void ping;',
    shownBy: ['libs/queue/src/redisFaults.int.test.ts'],
  },
  {
    safeguard: 'redis: a connection that falls silent is made anew',
    file: 'libs/queue/src/redisConnection.ts',
    find: 'const silenceMs = 4_000;',
    replace: 'const silenceMs = 15_000;',
    shownBy: ['libs/queue/src/redisFaults.int.test.ts'],
  },
  {
    safeguard: 'redis: one that may evict bells is refused',
    file: 'libs/queue/src/openQueue.ts',
    find: 'if (eviction !== undefined && !mayEvict)',
    replace: 'if (eviction !== undefined && !mayEvict && isLate(eviction))',
    shownBy: ['libs/queue/src/redisFaults.int.test.ts'],
  },
  {
    safeguard: 'redis: installations keep to keys and channels of their own',
    file: 'libs/queue/src/openQueue.ts',
    find: 'installationId === undefined ? prefix :',
    replace: 'installationId !== undefined ? prefix :',
    shownBy: ['libs/queue/src/openQueue.int.test.ts'],
  },
  {
    safeguard: 'redis: a worker says which installation it belongs to',
    file: 'apps/worker/src/workerProcess.ts',
    find: 'installationId: await installationId(store),',
    replace: 'installationId: (void installationId, undefined),',
    shownBy: ['tests/sharedRedis.test.ts'],
  },
  {
    safeguard: 'redis: bells that it did not take are told',
    file: 'libs/queue/src/bell.ts',
    find: 'throw new UnavailableError(`the queue did not take ${left} of ${rings.length} bells`, { cause });',
    replace: 'void left; void cause;',
    shownBy: ['libs/queue/src/redisFaults.int.test.ts'],
  },
  {
    safeguard: 'a fault of the queue that repeats is reported once',
    file: 'libs/queue/src/trouble.ts',
    find: 'silentMs < last.quietMs) return;',
    replace: 'silentMs < 0) return;',
    shownBy: ['libs/queue/src/trouble.test.ts'],
  },
  {
    safeguard: 'a fault of the queue that lasts is reported less and less often',
    file: 'libs/queue/src/trouble.ts',
    find: '2 * last.quietMs;',
    replace: 'last.quietMs;',
    shownBy: ['libs/queue/src/trouble.test.ts'],
  },
  {
    safeguard: 'a fault of the queue that lasts is reported every minute',
    file: 'libs/queue/src/trouble.ts',
    find: 'Math.min(doubled, quietMs.longest)',
    replace: 'doubled',
    shownBy: ['libs/queue/src/trouble.test.ts'],
  },
  {
    safeguard: 'redis: that it refuses the password is remembered',
    file: 'libs/queue/src/redisBacking.ts',
    find: 'if (refusal !== undefined) throw refusal;',
    replace: '',
    shownBy: ['libs/queue/src/redisFaults.int.test.ts'],
  },
];
