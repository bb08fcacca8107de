/** Reads a run and decides whether this worker may drive it now. */
import { isEnded, planFor } from '@baton/engine';

import type { Ports } from '../ports/ports.ts';
import { openRun } from '../record/openRun.ts';
import type { DriveOutcome } from './driveMoves.ts';
import type { TimeSharing } from './driver.ts';
import { Driver } from './driver.ts';
import { isHeld } from './isHeld.ts';
import { takeTurn } from './turn.ts';

/**
 * The driver of the run, or the outcome that says why it cannot be driven now. Undefined where there is no such run.
 * Rejects with `UnavailableError`.
 */
export async function openDriver(
  ports: Ports,
  time: TimeSharing,
  runId: string,
): Promise<Driver | DriveOutcome | undefined> {
  const opened = await openRun(ports.journal, runId);
  if (opened === undefined) return undefined;
  const { run, log } = opened;
  if (isEnded(run)) return 'finished';
  if (run.status === 'queued' && (run.notBefore ?? 0) > ports.clock.now() && run.cancel === undefined) return 'waiting';
  if (await isHeld(ports, run)) return 'lost';
  const plan = planFor(await ports.plans(run.definition), run);
  const turn = run.status === 'queued' ? await takeTurn(ports, plan, run) : 'begin';
  return turn === 'begin' ? new Driver(ports, time, plan, run, log) : turn;
}
