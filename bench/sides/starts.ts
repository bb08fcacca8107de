/** Starting runs over REST, beside the barest route that could. */
import { Agent } from 'node:http';
import { fileURLToPath } from 'node:url';

import { type Child, startChild } from '../core/childSide.ts';
import { type Side, nameOf } from '../core/load.ts';
import { closedLoop } from '../core/loop.ts';
import type { Services } from '../services.ts';
import { poster } from './restClient.ts';
import type { Stack } from './stack.ts';

/** `stack`: one without workers, so that nothing but starting is measured. */
export async function openStarts(stack: Stack, services: Services): Promise<{ sides: readonly Side[]; route: Child }> {
  const trees = [services.postgres.pid];
  const route = await startChild({
    file: fileURLToPath(new URL('./bareRoute.ts', import.meta.url)),
    env: { DATABASE_URL: await services.database('bare-route') },
  });
  const post = poster(new Agent({ keepAlive: true, maxSockets: 256 }));
  const sides: Side[] = [
    {
      name: 'baton-start',
      backend: stack.redisUrl === undefined ? 'postgres' : 'postgres+redis',
      durable: 'the run, with its first event and its key, before the answer',
      measure: (load) => closedLoop(load, () => stack.client.start(nameOf(load))),
      pids: [stack.orchestrator.pid],
      trees,
    },
    {
      name: 'bare-route',
      backend: 'postgres',
      durable: 'one row before the answer, a commit each',
      measure: (load) =>
        closedLoop(load, async () => {
          const { status } = await post(`${String(route.ready['url'])}/start`, '{"inputs":{}}');
          if (status !== 202) throw new Error(`the bare route answered ${status}`);
        }),
      pids: [route.pid],
      trees,
    },
  ];
  return { sides, route };
}
