import type { Run } from '@baton/engine';

import type { Ports } from '../drivePorts.ts';

/** Whether another worker that is alive drives the run. Rejects with `UnavailableError`. */
export async function isHeld({ worker, workers }: Pick<Ports, 'worker' | 'workers'>, run: Run): Promise<boolean> {
  return run.status === 'running' && run.worker !== worker && (await workers.isAlive(run.worker));
}
