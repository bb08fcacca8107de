/** Baton through its public face, and from the queue on. */
import { fileURLToPath } from 'node:url';

import { type Child, childSide, startChild } from '../core/childSide.ts';
import { type Side, nameOf } from '../core/load.ts';
import { closedLoop } from '../core/loop.ts';
import type { Services } from '../services.ts';
import { type Stack, secretKey } from './stack.ts';

const durable =
  'the run before the answer to its start; before each write the intent, and with it the result of the step before; reads and no-ops with the next commit; the end of the run before it is told';

const backendOf = ({ redisUrl }: Stack): string => (redisUrl === undefined ? 'postgres' : 'postgres+redis');

const serversOf = ({ redisUrl }: Stack, { postgres, redis }: Services): Pick<Side, 'pids' | 'trees'> => ({
  pids: redisUrl !== undefined && redis !== undefined ? [redis.pid] : [],
  trees: [postgres.pid],
});

/** `name`: `baton-rest` has its roles apart, `baton-server` in one process. */
export function batonRest(stack: Stack, services: Services, name: 'baton-rest' | 'baton-server' = 'baton-rest'): Side {
  const { pids, trees } = serversOf(stack, services);
  return {
    name,
    backend: backendOf(stack),
    durable,
    measure: (load) => closedLoop(load, () => stack.client.run(nameOf(load))),
    get pids() {
      return [stack.orchestrator.pid, ...stack.workers.map(({ pid }) => pid), ...pids];
    },
    trees,
  };
}

export async function batonQueue(stack: Stack, services: Services): Promise<{ side: Side; feeder: Child }> {
  const feeder = await startChild({
    file: fileURLToPath(new URL('./feeder.ts', import.meta.url)),
    env: { DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl ?? '', BATON_SECRET_KEY: secretKey },
  });
  const { pids, trees } = serversOf(stack, services);
  const side = childSide(feeder, { name: 'baton-queue', backend: backendOf(stack), durable });
  return {
    feeder,
    side: {
      ...side,
      get pids() {
        return [feeder.pid, ...stack.workers.map(({ pid }) => pid), ...pids];
      },
      trees,
    },
  };
}
